//! Session services with test data.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use sluice_tools::{DeferredTool, Pending, SearchReply, SearchRequest, Services};

use crate::support::Lab;

#[derive(Debug, Default)]
pub(crate) struct StandIn {
    pub(crate) plan_file: PathBuf,
    pub(crate) mode: Mutex<String>,
    pub(crate) deferred: Vec<DeferredTool>,
    pub(crate) found: Option<Result<SearchReply, String>>,
    pub(crate) searched: Mutex<Vec<SearchRequest>>,
}

impl StandIn {
    pub(crate) fn lab(self) -> (Lab, Arc<Self>) {
        let services = Arc::new(self);
        let mut lab = Lab::new();
        lab.cx.services = Arc::<Self>::clone(&services);
        (lab, services)
    }
}

pub(crate) fn deferred(name: &str, description: &str) -> DeferredTool {
    DeferredTool {
        name: name.to_owned(),
        description: description.to_owned(),
    }
}

impl Services for StandIn {
    fn complete<'a>(&'a self, _system: &'a str, _prompt: String) -> Pending<'a, Result<String, String>> {
        Box::pin(std::future::ready(Ok("read".to_owned())))
    }

    fn search<'a>(&'a self, request: SearchRequest) -> Pending<'a, Result<SearchReply, String>> {
        self.searched.lock().unwrap().push(request);
        match self.found.clone() {
            Some(found) => Box::pin(std::future::ready(found)),
            None => Box::pin(std::future::pending()),
        }
    }

    fn deferred(&self) -> Vec<DeferredTool> {
        self.deferred.clone()
    }

    fn plan_file(&self) -> PathBuf {
        self.plan_file.clone()
    }

    fn permission_mode(&self) -> String {
        self.mode.lock().unwrap().clone()
    }
}
