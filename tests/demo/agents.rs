//! The agents' part of the demo: spawn, wait, follow up, interrupt, read.

use serde_json::{Value, json};

use super::{Result, Stage, client::Client, heading, run};

/// What the scripted Claude works on until it is interrupted; everything else it echoes.
const ENDLESS: &str = "every lighthouse";

/// The script that makes it so.
pub(crate) fn script() -> Value {
    let steps = json!([{ "do": "init" }, { "do": "work" }]);
    json!({ "on": [{ "contains": ENDLESS, "turn": { "steps": steps } }] })
}

/// Shows an agent's life.
pub(crate) fn show(client: &mut Client, stage: &Stage) -> Result<()> {
    heading("It spawns a background agent, and gets an answer at once");
    let agent =
        client.call("spawn_agent", &json!({ "task": "Count the lighthouses of Brittany", "name": "keeper" }))?;
    let id = &agent["agent_id"];
    println!("  agent     {} is {}", text(id), text(&agent["state"]));

    heading("It waits for the agent's turn to end: the result comes with the event");
    print_result(&wait(client, id, &agent["cursor"])?);

    heading("It follows up: the same session goes on");
    let task = json!({ "agent_id": id, "message": "And those of Cornwall?" });
    let followed = client.call("followup_task", &task)?;
    print_result(&wait(client, id, &followed["cursor"])?);

    heading("It gives a task that takes for ever, looks from a terminal, and interrupts");
    let task = json!({ "agent_id": id, "message": format!("Now describe {ENDLESS} of the world") });
    let followed = client.call("followup_task", &task)?;
    let started = json!({ "agent_ids": [id], "after_cursor": followed["cursor"], "until": "any" });
    client.call("wait_agent", &started)?;
    run(stage, &["agents", "list"])?;
    let interrupted = client.call("interrupt_agent", &json!({ "agent_id": id }))?;
    println!("  interrupted: {}, the agent is {}", interrupted["interrupted"], text(&interrupted["state"]));

    heading("It reads what there is to know about the agent");
    let read = client.call("read_agent", &json!({ "agent_id": id }))?;
    for turn in read["turns"].as_array().into_iter().flatten() {
        println!("  turn {}    {}", turn["number"], text(&turn["status"]));
    }
    println!("  cost      ${}", read["agent"]["total_cost_usd"]);
    println!("  result    {}", text(&read["latest_result"]["payload"]["subtype"]));
    Ok(())
}

fn wait(client: &mut Client, agent: &Value, after: &Value) -> Result<Value> {
    client.call("wait_agent", &json!({ "agent_ids": [agent], "after_cursor": after, "until": "turn_end" }))
}

fn print_result(waited: &Value) {
    for result in waited["results"].as_array().into_iter().flatten() {
        println!("  {}  {}", text(&result["status"]), text(&result["result"]));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("none")
}
