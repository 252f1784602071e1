//! `list_models`: the models that may be chosen.

use super::ModelInfo;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for the models that may be chosen.
    pub struct ListModels ["subtype" = "list_models"] {}
}

wire_struct! {
    /// The models that may be chosen.
    pub struct ListModelsResponse {
        models: Vec<ModelInfo>,
    }
}
