//! `list_models`: list the available models.

use super::ModelInfo;
use crate::record::wire_struct;

wire_struct! {
    /// Requests the list of available models.
    pub struct ListModels ["subtype" = "list_models"] {}
}

wire_struct! {
    /// The available models.
    pub struct ListModelsResponse {
        models: Vec<ModelInfo>,
    }
}
