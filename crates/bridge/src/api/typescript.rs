//! TypeScript of the API, as `web/src/api/types.ts` holds it.

use ts_rs::{Config, TS};

use super::*;

/// Types that stand for a piece of JSON the page reads with care.
const PRELUDE: &str = "// Made from crates/bridge/src/api by `make types`. Do not edit.\n\n\
    export type JsonValue = number | string | boolean | null | JsonValue[] | { [key: string]: JsonValue };\n\
    /** A message of an agent, verbatim: `type` says which; see the protocol. */\n\
    export type AgentMessage = { type: string } & { [key: string]: any };\n";

/// The whole file.
#[must_use]
pub fn file() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = PRELUDE.to_owned();
    macro_rules! each {
        ($($ty:ty),* $(,)?) => {
            $(
                text.push_str("\nexport ");
                text.push_str(&<$ty as TS>::decl(&config));
                text.push('\n');
            )*
        };
    }
    each![
        Cursor,
        Scope,
        Device,
        SessionInfo,
        AskBrief,
        Standing,
        SessionState,
        ProcessState,
        TransportState,
        ActivityState,
        TurnState,
        Retry,
        AskInfo,
        QueuedPrompt,
        RunningCall,
        TaskInfo,
        TodoInfo,
        CostState,
        ContextState,
        DriftState,
        Facts,
        CommandInfo,
        ModelInfo,
        PluginInfo,
        ServerInfo,
        Hello,
        Start,
        Input,
        Image,
        AnswerAsk,
        ClientMessage,
        ServerMessage,
        Welcome,
        Agent,
        Limits,
        CursorVerdict,
        Record,
        Blob,
        Own,
        UnfinishedBlock,
        Block,
        Receipt,
        Problem,
        Resolved,
        ErrorMessage,
        Code,
        Bye,
        Queue,
        Begun,
        Accepted,
        Sessions,
        HistoryPage,
        Paths,
        PathInfo,
        FolderTrust,
        HeldBack,
        ResourceInfo,
        SearchHits,
        SearchHit,
        UsageTable,
        UsageInfo,
        Highlighted,
        Diff,
        Hunk,
        DiffLine,
        Changes,
        DriftLines,
        DriftLine,
        TimelineData,
        Break,
        TurnInfo,
        Devices,
        PairingCode,
        Audit,
        AuditEntry,
        Checked,
        Rewound,
        Exported,
        BridgeStatus,
        Reach,
        ReachWay,
        GitStep,
        GitReport,
        WorkingTree,
        Worktree,
        ChangedFile,
        FolderEntries,
        FolderEntry,
        FileText,
        Templates,
        Template,
    ];
    text.push_str("\n/** A command: what is asked for, and the id its receipt will carry. */\n");
    text.push_str("export type Command = ClientMessage & { id?: string };\n");
    text
}
