//! `get_context_usage`: what fills the context.

use crate::record::wire_struct;
use crate::usage::Usage;
use crate::{Number, Raw};

wire_struct! {
    /// Asks what fills the context.
    pub struct GetContextUsage ["subtype" = "get_context_usage"] {
        /// `summary` or `full`.
        detail: Option<String>,
    }
}

wire_struct! {
    /// One part of the context.
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
    /// A square of the drawing.
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
    /// A memory file and the room it takes.
    pub struct ContextMemoryFile {
        path: String,
        /// `User`, `Project` or `Local`.
        kind: String as "type",
        tokens: u64,
    }
}

wire_struct! {
    /// A tool and the room its description takes.
    pub struct ContextTool {
        name: String,
        tokens: u64,
    }
}

wire_struct! {
    /// A tool and the room its calls take.
    pub struct ContextToolCalls {
        name: String,
        call_tokens: u64 as "callTokens",
        result_tokens: u64 as "resultTokens",
    }
}

wire_struct! {
    /// Slash commands and the room they take.
    pub struct ContextSlashCommands {
        total_commands: u64 as "totalCommands",
        included_commands: u64 as "includedCommands",
        tokens: u64,
    }
}

wire_struct! {
    /// Skills and the room they take.
    pub struct ContextSkills {
        total_skills: u64 as "totalSkills",
        included_skills: u64 as "includedSkills",
        tokens: u64,
        skill_frontmatter: Vec<Raw> as "skillFrontmatter",
    }
}

wire_struct! {
    /// What the messages are made of.
    pub struct MessageBreakdown {
        tool_call_tokens: u64 as "toolCallTokens",
        tool_result_tokens: u64 as "toolResultTokens",
        attachment_tokens: u64 as "attachmentTokens",
        assistant_message_tokens: u64 as "assistantMessageTokens",
        user_message_tokens: u64 as "userMessageTokens",
        redirected_context_tokens: Option<u64> as "redirectedContextTokens",
        unattributed_tokens: Option<u64> as "unattributedTokens",
        /// Each a [`ContextToolCalls`].
        tool_calls_by_type: Vec<Raw> as "toolCallsByType",
        attachments_by_type: Vec<Raw> as "attachmentsByType",
    }
}

wire_struct! {
    /// What fills the context.
    pub struct GetContextUsageResponse {
        categories: Vec<ContextPart>,
        total_tokens: u64 as "totalTokens",
        max_tokens: u64 as "maxTokens",
        raw_max_tokens: u64 as "rawMaxTokens",
        autocompact_source: Option<String> as "autocompactSource",
        percentage: Number,
        /// Rows of squares, for drawing: lists of [`ContextSquare`].
        grid_rows: Vec<Raw> as "gridRows",
        model: String,
        /// Each a [`ContextMemoryFile`].
        memory_files: Vec<Raw> as "memoryFiles",
        mcp_tools: Vec<Raw> as "mcpTools",
        mcp_instructions: Option<Vec<Raw>> as "mcpInstructions",
        deferred_builtin_tools: Option<Vec<Raw>> as "deferredBuiltinTools",
        /// Each a [`ContextTool`].
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
