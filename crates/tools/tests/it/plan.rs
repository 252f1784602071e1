use std::path::Path;
use std::sync::Mutex;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::{Effect, find};

use crate::stand_in::StandIn;
use crate::support::{Lab, said};

struct Planning {
    lab: Lab,
    plan_file: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

fn planning(mode: &str) -> Planning {
    let folder = tempfile::tempdir().unwrap();
    let plan_file = folder.path().join("plans/some-words.md");
    let (lab, _) = StandIn {
        plan_file: plan_file.clone(),
        mode: Mutex::new(mode.to_owned()),
        ..StandIn::default()
    }
    .lab();
    Planning {
        lab,
        plan_file,
        _folder: folder,
    }
}

impl Planning {
    fn write(&self, plan: &str) {
        std::fs::create_dir_all(self.plan_file.parent().unwrap()).unwrap();
        std::fs::write(&self.plan_file, plan).unwrap();
    }

    async fn present(&self, input: &Value) -> Option<Value> {
        find("ExitPlanMode").unwrap().present(input, &self.lab.cx).await
    }
}

#[tokio::test]
async fn entering_names_the_plan_file() {
    let plan = planning("default");
    let outcome = plan.lab.call("EnterPlanMode", json!({})).await;
    assert_eq!(outcome.effects, [Effect::EnterPlan]);
    let message = outcome.result["message"].as_str().unwrap();
    assert!(message.starts_with("Entered plan mode. "));
    assert!(said(&outcome).starts_with(message));
    assert!(said(&outcome).contains(&plan.plan_file.display().to_string()));
    let input = json!({"why": "not"});
    assert!(find("EnterPlanMode").unwrap().check(&input, Path::new("/")).is_err());
}

#[tokio::test]
async fn leaving_without_a_plan_is_as_recorded() {
    let plan = planning("plan");
    let exit = find("ExitPlanMode").unwrap();
    let input = json!({"plan": "# My own", "planFilePath": "/forged"});
    let checked = exit.check(&input, Path::new("/")).unwrap();
    assert_eq!(checked, json!({}), "a text of the model's own is no plan");
    assert_eq!(exit.fill(&input), input);
    assert_eq!(plan.present(&input).await, None);
    assert_eq!(plan.lab.vet("ExitPlanMode", &input).await, None);
    let outcome = plan.lab.call("ExitPlanMode", checked).await;
    assert_eq!(
        said(&outcome),
        "User has approved exiting plan mode. You can now proceed."
    );
    assert_eq!(
        outcome.result,
        json!({"plan": null, "isAgent": false, "filePath": plan.plan_file})
    );
    assert_eq!(outcome.effects, [Effect::ExitPlan { plan: None }]);
    plan.write(" \n");
    assert_eq!(plan.present(&json!({})).await, None, "an empty file is no plan");
}

#[tokio::test]
async fn the_plan_is_shown_and_approved_as_the_file_holds_it() {
    let plan = planning("plan");
    plan.write("# The plan\n1. do it\n");
    let shown = plan.present(&json!({"plan": "forged"})).await.unwrap();
    assert_eq!(
        shown,
        json!({"plan": "# The plan\n1. do it\n", "planFilePath": plan.plan_file})
    );
    // the answer may have set another mode before the call runs
    let outcome = plan.lab.call("ExitPlanMode", shown).await;
    assert!(said(&outcome).starts_with("User has approved your plan. You can now start coding. "));
    assert!(said(&outcome).ends_with("## Approved Plan:\n# The plan\n1. do it\n"));
    assert!(said(&outcome).contains(&plan.plan_file.display().to_string()));
    assert_eq!(
        outcome.result,
        json!({"plan": "# The plan\n1. do it\n", "isAgent": false, "filePath": plan.plan_file})
    );
    let effect = Effect::ExitPlan {
        plan: Some("# The plan\n1. do it\n".to_owned()),
    };
    assert_eq!(outcome.effects, [effect]);
}

#[tokio::test]
async fn a_plan_edited_in_the_answer_is_used() {
    let plan = planning("plan");
    plan.write("first\n");
    let mut shown = plan.present(&json!({})).await.unwrap();
    shown["plan"] = json!("better\n");
    let outcome = plan.lab.call("ExitPlanMode", shown).await;
    assert_eq!(
        outcome.result,
        json!({"plan": "better\n", "isAgent": false, "filePath": plan.plan_file, "planWasEdited": true})
    );
    assert_eq!(std::fs::read_to_string(&plan.plan_file).unwrap(), "better\n");
    // a plan in the model's input is removed by `check`
    let own = json!({"plan": "smuggled"});
    let checked = find("ExitPlanMode").unwrap().check(&own, Path::new("/")).unwrap();
    let outcome = plan.lab.call("ExitPlanMode", checked).await;
    assert_eq!(outcome.result["plan"], "better\n");
}

#[tokio::test]
async fn outside_of_plan_mode_nobody_is_asked() {
    let plan = planning("acceptEdits");
    let outcome = plan.lab.vet("ExitPlanMode", &json!({})).await.unwrap();
    assert!(said(&outcome).starts_with("<tool_use_error>You are not in plan mode"));
    assert_eq!(outcome.is_error, Some(true));
    assert_eq!(outcome.effects, []);
}
