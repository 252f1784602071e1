//! `get_context_usage`: how the context window is used.

use crate::record::wire_struct;
use crate::usage::Usage;
use crate::{Number, Raw};

wire_struct! {
    /// Requests the usage of the context window by category.
    pub struct GetContextUsage ["subtype" = "get_context_usage"] {
        /// `summary` or `full`.
        detail: Option<String>,
    }
}

wire_struct! {
    /// A category of the context usage.
    pub struct ContextPart {
        id: Option<String>,
        name: String,
        tokens: u64,
        color: Option<String>,
        is_deferred: Option<bool> as "isDeferred",
        kind: Option<String>,
    }
}

wire_struct! {
    /// A square of the usage diagram.
    pub struct ContextSquare {
        color: Option<String>,
        is_filled: bool as "isFilled",
        category_name: String as "categoryName",
        tokens: u64,
        percentage: Number,
        square_fullness: Number as "squareFullness",
    }
}

wire_struct! {
    /// A memory file and its size in tokens.
    pub struct ContextMemoryFile {
        path: String,
        /// `User`, `Project` or `Local`.
        kind: String as "type",
        tokens: u64,
    }
}

wire_struct! {
    /// A tool and the size of its description in tokens.
    pub struct ContextTool {
        name: String,
        tokens: u64,
    }
}

wire_struct! {
    /// A tool and the size of its calls and results in tokens.
    pub struct ContextToolCalls {
        name: String,
        call_tokens: u64 as "callTokens",
        result_tokens: u64 as "resultTokens",
    }
}

wire_struct! {
    /// Slash commands and their size in tokens.
    pub struct ContextSlashCommands {
        total_commands: u64 as "totalCommands",
        included_commands: u64 as "includedCommands",
        tokens: u64,
    }
}

wire_struct! {
    /// Skills and their size in tokens.
    pub struct ContextSkills {
        total_skills: u64 as "totalSkills",
        included_skills: u64 as "includedSkills",
        tokens: u64,
        skill_frontmatter: Vec<Raw> as "skillFrontmatter",
    }
}

wire_struct! {
    /// The size of the messages by kind, in tokens.
    pub struct MessageBreakdown {
        tool_call_tokens: u64 as "toolCallTokens",
        tool_result_tokens: u64 as "toolResultTokens",
        attachment_tokens: u64 as "attachmentTokens",
        assistant_message_tokens: u64 as "assistantMessageTokens",
        user_message_tokens: u64 as "userMessageTokens",
        redirected_context_tokens: Option<u64> as "redirectedContextTokens",
        unattributed_tokens: Option<u64> as "unattributedTokens",
        /// A list of [`ContextToolCalls`].
        tool_calls_by_type: Vec<Raw> as "toolCallsByType",
        attachments_by_type: Vec<Raw> as "attachmentsByType",
    }
}

wire_struct! {
    /// The usage of the context window.
    pub struct GetContextUsageResponse {
        categories: Vec<ContextPart>,
        total_tokens: u64 as "totalTokens",
        max_tokens: u64 as "maxTokens",
        raw_max_tokens: u64 as "rawMaxTokens",
        autocompact_source: Option<String> as "autocompactSource",
        percentage: Number,
        /// The rows of the usage diagram: lists of [`ContextSquare`].
        grid_rows: Vec<Raw> as "gridRows",
        model: String,
        /// A list of [`ContextMemoryFile`].
        memory_files: Vec<Raw> as "memoryFiles",
        mcp_tools: Vec<Raw> as "mcpTools",
        mcp_instructions: Option<Vec<Raw>> as "mcpInstructions",
        deferred_builtin_tools: Option<Vec<Raw>> as "deferredBuiltinTools",
        /// A list of [`ContextTool`].
        system_tools: Option<Vec<Raw>> as "systemTools",
        system_prompt_sections: Option<Vec<Raw>> as "systemPromptSections",
        agents: Vec<Raw>,
        slash_commands: Option<ContextSlashCommands> as "slashCommands",
        skills: Option<ContextSkills>,
        auto_compact_threshold: Option<u64> as "autoCompactThreshold",
        is_auto_compact_enabled: bool as "isAutoCompactEnabled",
        message_breakdown: Option<MessageBreakdown> as "messageBreakdown",
        api_usage: Option<Usage> as "apiUsage" = null,
    }
}
