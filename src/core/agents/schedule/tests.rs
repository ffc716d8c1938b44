//! The scheduler's promises, on random scenes and in a simulated world.

use proptest::{collection::vec, prelude::*};

use super::*;
use crate::core::agents::workspace::Access;

fn claim(workspace: &str, access: Access) -> Claim {
    Claim { workspace: workspace.to_owned(), access }
}

fn waiting(workspace: &str, access: Access) -> Waiting {
    Waiting { agent: AgentId::new(), claim: claim(workspace, access), due: true, process: Process::None }
}

fn scene(limit: usize, queue: Vec<Waiting>) -> Scene {
    Scene { limit, live: 0, leaving: 0, held: Vec::new(), idle: Vec::new(), queue }
}

/// Which turns of the queue start, by their place in it.
fn started(scene: &Scene) -> Vec<usize> {
    let plan = plan(scene);
    let places = scene.queue.iter().enumerate().filter(|(_, turn)| plan.start.contains(&turn.agent));
    places.map(|(place, _)| place).collect()
}

#[test]
fn first_come_first_served_within_the_limit() {
    let queue = (0..5).map(|n| waiting(&format!("/{n}"), Access::Alone)).collect();
    assert_eq!(started(&scene(3, queue)), [0, 1, 2]);
}

#[test]
fn who_waits_for_a_workspace_is_skipped() {
    let queue = vec![waiting("/a", Access::Alone), waiting("/a", Access::Alone), waiting("/b", Access::Alone)];
    assert_eq!(started(&scene(4, queue)), [0, 2]);
}

#[test]
fn readers_share_and_do_not_overtake_an_older_writer() {
    let (read, write) = (Access::Shared, Access::Alone);
    let queue = vec![waiting("/a", read), waiting("/a", read), waiting("/a", write), waiting("/a", read)];
    assert_eq!(started(&scene(9, queue)), [0, 1]);
    let mut late = scene(9, vec![waiting("/a", write), waiting("/a/sub", read), waiting("/b", read)]);
    late.held = vec![claim("/a", read)];
    assert_eq!(started(&late), [2]);
}

#[test]
fn a_failed_launch_waits_and_keeps_its_place() {
    let mut scene =
        scene(9, vec![waiting("/a", Access::Alone), waiting("/a", Access::Alone), waiting("/b", Access::Alone)]);
    scene.queue[0].due = false;
    assert_eq!(started(&scene), [2]);
}

#[test]
fn idle_processes_make_room_the_least_recently_used_first() {
    let idle = [AgentId::new(), AgentId::new(), AgentId::new()];
    let mut scene = scene(3, vec![waiting("/a", Access::Alone), waiting("/b", Access::Alone)]);
    (scene.live, scene.idle) = (3, idle.to_vec());
    assert_eq!(plan(&scene), Plan { start: vec![], evict: vec![idle[0], idle[1]] });
    (scene.leaving, scene.idle) = (2, idle[2..].to_vec());
    assert_eq!(plan(&scene), Plan::default(), "room is on its way already");
}

#[test]
fn the_own_idle_process_takes_the_turn_without_a_slot() {
    let mut scene = scene(1, vec![waiting("/a", Access::Alone)]);
    scene.queue[0].process = Process::Idle;
    (scene.live, scene.idle) = (1, vec![scene.queue[0].agent]);
    assert_eq!(plan(&scene), Plan { start: vec![scene.queue[0].agent], evict: vec![] });
}

#[test]
fn an_idle_process_goes_even_if_its_own_turn_waits_behind() {
    let mut scene = scene(1, vec![waiting("/a", Access::Alone), waiting("/a", Access::Alone)]);
    scene.queue[1].process = Process::Idle;
    (scene.live, scene.idle) = (1, vec![scene.queue[1].agent]);
    assert_eq!(plan(&scene), Plan { start: vec![], evict: vec![scene.queue[1].agent] });
}

/// A world of agents in which turns are asked for, run and end.
#[derive(Debug, Default)]
struct World {
    limit: usize,
    agents: Vec<Agent>,
    queue: Vec<usize>,
    clock: usize,
}

#[derive(Debug)]
struct Agent {
    id: AgentId,
    claim: Claim,
    state: State,
    since: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Gone,
    Busy,
    Idle,
    Leaving,
}

impl World {
    fn new(limit: usize, agents: &[(u8, bool)]) -> Self {
        let place = |n: u8| ["/a", "/b", "/a/x", "/a/x/y", "/c"][usize::from(n) % 5];
        let agents = agents.iter().map(|(n, alone)| Agent {
            id: AgentId::new(),
            claim: claim(place(*n), if *alone { Access::Alone } else { Access::Shared }),
            state: State::Gone,
            since: 0,
        });
        Self { limit, agents: agents.collect(), ..Self::default() }
    }

    fn count(&self, state: State) -> usize {
        self.agents.iter().filter(|agent| agent.state == state).count()
    }

    fn scene(&self) -> Scene {
        let mut idle: Vec<_> = self.agents.iter().filter(|agent| agent.state == State::Idle).collect();
        idle.sort_by_key(|agent| agent.since);
        let busy = self.agents.iter().filter(|agent| agent.state == State::Busy);
        let queue = self.queue.iter().map(|n| &self.agents[*n]).filter(|agent| agent.state != State::Busy);
        Scene {
            limit: self.limit,
            live: self.agents.len() - self.count(State::Gone),
            leaving: self.count(State::Leaving),
            held: busy.map(|agent| agent.claim.clone()).collect(),
            idle: idle.iter().map(|agent| agent.id).collect(),
            queue: queue
                .map(|agent| Waiting {
                    agent: agent.id,
                    claim: agent.claim.clone(),
                    due: true,
                    process: match agent.state {
                        State::Idle => Process::Idle,
                        State::Leaving => Process::Leaving,
                        State::Gone | State::Busy => Process::None,
                    },
                })
                .collect(),
        }
    }

    /// Carries a plan out and checks every promise.
    fn step(&mut self) -> Plan {
        let scene = self.scene();
        let plan = plan(&scene);
        for id in &plan.start {
            let place = self.queue.iter().position(|n| self.agents[*n].id == *id).expect("only who waits starts");
            let n = self.queue[place];
            for older in &self.queue[..place] {
                let older = &self.agents[*older];
                let overtaken = !plan.start.contains(&older.id) && older.claim.conflicts(&self.agents[n].claim);
                assert!(!overtaken, "an older turn that wants the same workspace was overtaken");
            }
        }
        for id in &plan.start {
            self.queue.retain(|n| self.agents[*n].id != *id);
            let agent = self.agents.iter_mut().find(|agent| agent.id == *id).unwrap();
            assert!(matches!(agent.state, State::Gone | State::Idle));
            agent.state = State::Busy;
        }
        for id in &plan.evict {
            let agent = self.agents.iter_mut().find(|agent| agent.id == *id).unwrap();
            assert_eq!(agent.state, State::Idle, "only idle processes are ended");
            agent.state = State::Leaving;
        }
        assert!(self.agents.len() - self.count(State::Gone) <= self.limit, "more processes than the limit allows");
        let busy: Vec<_> = self.agents.iter().filter(|agent| agent.state == State::Busy).collect();
        for (n, one) in busy.iter().enumerate() {
            for other in &busy[n + 1..] {
                assert!(!one.claim.conflicts(&other.claim), "two hold one workspace");
            }
        }
        plan
    }
}

proptest! {
    #[test]
    fn promises_hold_and_everything_ends(
        limit in 1_usize..5,
        agents in vec((any::<u8>(), any::<bool>()), 1..9),
        steps in vec((0_u8..4, any::<u8>()), 0..120),
    ) {
        let mut world = World::new(limit, &agents);
        for (what, who) in steps {
            world.clock += 1;
            let n = usize::from(who) % world.agents.len();
            match (what, world.agents[n].state) {
                (0, state) if state != State::Busy && !world.queue.contains(&n) => world.queue.push(n),
                (1, State::Busy) => (world.agents[n].state, world.agents[n].since) = (State::Idle, world.clock),
                (2, State::Busy | State::Leaving) => world.agents[n].state = State::Gone,
                (3, State::Idle) => world.agents[n].state = State::Leaving,
                _ => {}
            }
            world.step();
        }
        // Nobody asks for anything any more: whoever is busy ends, whoever leaves is gone, and all turns run.
        for _ in 0..4 * world.agents.len() {
            for agent in &mut world.agents {
                agent.state = match agent.state {
                    State::Busy => State::Idle,
                    State::Leaving => State::Gone,
                    state => state,
                };
            }
            world.step();
        }
        prop_assert!(world.queue.is_empty(), "a deadlock: {world:?}");
    }

    #[test]
    fn slots_are_not_wasted(limit in 1_usize..5, agents in vec(any::<bool>(), 1..9)) {
        let queue: Vec<_> = agents.iter().enumerate().map(|(n, alone)| {
            waiting(&format!("/{n}"), if *alone { Access::Alone } else { Access::Shared })
        }).collect();
        let count = queue.len().min(limit);
        prop_assert_eq!(started(&scene(limit, queue)), (0..count).collect::<Vec<_>>());
    }
}
