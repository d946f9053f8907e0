//! Benchmarks of a team on PostgreSQL: bulk ingest against SQLite in the same run, and several servers with one
//! database, many tenants and many messages, of which one server and the database itself are killed under load. The
//! clients count what was acknowledged; at the end every tenant must hold exactly that.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::ingest::IngestProcess;
use super::team_server::{TeamServer, run_command, send_post};
use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};
use crate::crash_cluster::CrashCluster;

/// Bulk ingest by one process, on each store in turns, so that the load of the machine hits both.
pub(crate) fn measure_ingest(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let messages = workload_number(workload, "messages")?;
    let bytes = workload_number(workload, "bytes")?;
    let cluster = CrashCluster::start("bench-ingest")?;
    let url = make_ready(bench, &cluster)?;
    let mut seconds: [Vec<f64>; 2] = Default::default();
    for round in 0..workload_number(workload, "rounds")? {
        for (store, url) in [(0, None), (1, Some(url.as_str()))] {
            let home = bench.scratch.join(format!("home-{store}"));
            let name = format!("bench-{round}");
            let mut epitome = IngestProcess::start_on(bench, &home, &name, url)?;
            // The first message opens the store, which is not part of the steady rate.
            epitome.send_text("the first message")?;
            epitome.read_acknowledgement()?;
            let started = Instant::now();
            epitome.stream_messages(messages, bytes)?;
            seconds[store].push(started.elapsed().as_secs_f64());
            epitome.finish()?;
        }
    }
    let rates = seconds
        .each_ref()
        .map(|seconds| seconds.iter().map(|seconds| round_thousandths(messages as f64 / seconds)).collect::<Vec<_>>());
    let [sqlite, postgres] = seconds.map(median);
    Ok(json!({
        "sqlite_messages_per_second": rates[0],
        "postgres_messages_per_second": rates[1],
        "median_seconds": { "sqlite": round_thousandths(sqlite), "postgres": round_thousandths(postgres) },
        "postgres_to_sqlite_time": round_thousandths(postgres / sqlite),
    }))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

fn make_ready(bench: &BenchSetup, cluster: &CrashCluster) -> Result<String> {
    let home = bench.scratch.join("home-init");
    let made = run_command(bench, &home, "", &["--json", "database", "init", &cluster.url()])?;
    let made: Value = serde_json::from_str(&made)?;
    Ok(made["url"].as_str().context("a URL")?.to_owned())
}

/// The numbers of a run.
struct TeamLoad {
    tenants: usize,
    /// Messages of one tenant.
    messages: usize,
    batch: usize,
    bytes: usize,
    clients: usize,
}

/// What the clients share.
struct TeamRun {
    load: TeamLoad,
    /// The token of each tenant.
    tokens: Vec<String>,
    /// Where the servers listen; one that is started again listens elsewhere.
    addresses: RwLock<Vec<String>>,
    next_tenant: AtomicUsize,
    acknowledged: AtomicUsize,
    /// Requests that were sent again.
    repeated: AtomicUsize,
    has_failed: AtomicBool,
    /// How long each batch took, with all that was tried, by the quarter of the run in which it was sent.
    seconds: Mutex<[Vec<f64>; 4]>,
}

/// Several servers, one database, many tenants.
pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let number = |name: &str| workload_number(workload, name);
    let tenants = number("tenants")?;
    let load = TeamLoad {
        tenants,
        messages: number("messages")? / tenants,
        batch: number("batch")?,
        bytes: number("bytes")?,
        clients: number("clients")?,
    };
    let cluster = CrashCluster::start("bench-team")?;
    // Servers index the project that they are started in, for every tenant that asks: here they must not find one.
    let bench = &BenchSetup { binary: bench.binary.clone(), scratch: cluster.make_folder("clients")? };
    let url = make_ready(bench, &cluster)?;
    let home = bench.scratch.join("home");
    let name_of = |tenant: usize| format!("tenant-{tenant:02}");
    let token = |tenant| {
        let made = run_command(bench, &home, &url, &["serve", "token", "--tenant", &name_of(tenant)])?;
        Ok(made.trim().to_owned())
    };
    let tokens = (0..tenants).map(token).collect::<Result<Vec<_>>>()?;
    let mut servers = Vec::new();
    for _ in 0..number("servers")? {
        servers.push(TeamServer::start(bench, &home, &url)?);
    }
    let run = TeamRun {
        tokens,
        addresses: RwLock::new(servers.iter().map(|server| server.address.clone()).collect()),
        next_tenant: AtomicUsize::new(0),
        acknowledged: AtomicUsize::new(0),
        repeated: AtomicUsize::new(0),
        has_failed: AtomicBool::new(false),
        seconds: Mutex::default(),
        load,
    };
    let all = run.load.messages * tenants;
    let started = Instant::now();
    let faults = std::thread::scope(|scope| -> Result<Value> {
        let clients: Vec<_> = (0..run.load.clients)
            .map(|client| {
                let run = &run;
                scope.spawn(move || run.write_all(client))
            })
            .collect();
        let faults = deal_faults(bench, &home, &url, &cluster, &mut servers, &run, all);
        if faults.is_err() {
            run.has_failed.store(true, Ordering::Relaxed);
        }
        for client in clients {
            client.join().map_err(|_| anyhow!("a client panicked"))??;
        }
        faults
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let questions = run.ask_questions()?;
    let mut stored = 0;
    for tenant in 0..tenants {
        stored += count_stored(bench, &home, &url, &name_of(tenant), run.load.messages as u64)?;
    }
    let verified = Instant::now();
    for tenant in [0, tenants - 1] {
        let set = format!("database.tenant={}", name_of(tenant));
        run_command(bench, &home, &url, &["--set", &set, "verify", "--json"])?;
    }
    let took = std::mem::take(&mut *run.seconds.lock().map_err(|_| anyhow!("a client panicked"))?);
    let longest = took.each_ref().map(|quarter| round_thousandths(quarter.iter().copied().fold(0.0, f64::max)));
    let took: Vec<f64> = took.into_iter().flatten().collect();
    Ok(json!({
        "messages": stored,
        "lost_or_doubled": 0,
        "seconds": round_thousandths(seconds),
        "messages_per_second": round_thousandths(all as f64 / seconds),
        "batches": duration_percentiles(took),
        "longest_batch_seconds_by_quarter": longest,
        "requests_sent_again": run.repeated.load(Ordering::Relaxed),
        "faults": faults,
        "search_among_all": questions,
        "verify_two_tenants_seconds": round_thousandths(verified.elapsed().as_secs_f64()),
        "database_megabytes": round_thousandths(cluster.size_megabytes()?),
    }))
}

/// What is stored of a tenant, which has to be exactly what was acknowledged.
fn count_stored(bench: &BenchSetup, home: &Path, url: &str, tenant: &str, acknowledged: u64) -> Result<u64> {
    let set = format!("database.tenant={tenant}");
    let status: Value = serde_json::from_str(&run_command(bench, home, url, &["--set", &set, "stats", "--json"])?)?;
    let messages = find_number(&status, "messages").with_context(|| format!("no messages in {status}"))?;
    ensure!(messages == acknowledged, "{set}: {messages} messages");
    Ok(messages)
}

/// Kills a server at a quarter of the messages, the database at half of them, and starts the server again at three
/// quarters.
fn deal_faults(
    bench: &BenchSetup,
    home: &Path,
    url: &str,
    cluster: &CrashCluster,
    servers: &mut [TeamServer],
    run: &TeamRun,
    all: usize,
) -> Result<Value> {
    run.wait_for(all / 4)?;
    servers[0].kill()?;
    run.wait_for(all / 2)?;
    let down = Instant::now();
    cluster.stop_server()?;
    cluster.start_server()?;
    let down = down.elapsed().as_secs_f64();
    let since = Instant::now();
    run.wait_for(run.acknowledged.load(Ordering::Relaxed) + 1)?;
    let back = since.elapsed().as_secs_f64();
    run.wait_for(all / 4 * 3)?;
    servers[0] = TeamServer::start(bench, home, url)?;
    run.addresses.write().map_err(|_| anyhow!("a client panicked"))?[0].clone_from(&servers[0].address);
    Ok(json!({
        "server_killed_at": all / 4,
        "database_killed_at": all / 2,
        "database_down_seconds": round_thousandths(down),
        "first_acknowledgement_after_seconds": round_thousandths(back),
        "server_back_at": all / 4 * 3,
    }))
}

impl TeamRun {
    fn wait_for(&self, messages: usize) -> Result<()> {
        while self.acknowledged.load(Ordering::Relaxed) < messages {
            ensure!(!self.has_failed.load(Ordering::Relaxed), "a client failed");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Writes all messages of one tenant after the other, until there is none left.
    fn write_all(&self, client: usize) -> Result<()> {
        loop {
            let tenant = self.next_tenant.fetch_add(1, Ordering::Relaxed);
            if tenant >= self.load.tenants {
                return Ok(());
            }
            let written = self.write_tenant(client, tenant);
            if written.is_err() {
                self.has_failed.store(true, Ordering::Relaxed);
            }
            written?;
        }
    }

    fn write_tenant(&self, client: usize, tenant: usize) -> Result<()> {
        let mut server = client;
        for first in (0..self.load.messages).step_by(self.load.batch) {
            let last = (first + self.load.batch).min(self.load.messages);
            let messages: Vec<Value> = (first..last).map(|number| self.message(tenant, number)).collect();
            let body = json!({ "conversation": format!("talk-{}", first / 5_000), "messages": messages });
            let quarter = self.acknowledged.load(Ordering::Relaxed) * 4 / (self.load.messages * self.load.tenants);
            let started = Instant::now();
            self.send_until_acknowledged(&mut server, tenant, &body, last - first)?;
            let mut seconds = self.seconds.lock().map_err(|_| anyhow!("a client panicked"))?;
            seconds[quarter.min(3)].push(started.elapsed().as_secs_f64());
            drop(seconds);
            self.acknowledged.fetch_add(last - first, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A message that is known by its id, so that it may be sent again.
    fn message(&self, tenant: usize, number: usize) -> Value {
        let sentence = format!(
            "message {number} of team {tenant} says that the build of module_{} passed in run_{number}; ",
            number % 97
        );
        let text: String = sentence.chars().cycle().take(self.load.bytes).collect();
        json!({ "role": "user", "id": format!("m-{number}"), "content": text })
    }

    /// Goes on with the next server where one does not answer; the ids keep what is sent twice from being stored twice.
    fn send_until_acknowledged(&self, server: &mut usize, tenant: usize, body: &Value, count: usize) -> Result<()> {
        let deadline = Instant::now() + Duration::from_mins(3);
        loop {
            let address = {
                let addresses = self.addresses.read().map_err(|_| anyhow!("a client panicked"))?;
                addresses[*server % addresses.len()].clone()
            };
            let said = match send_post(&address, "/v1/ingest", &self.tokens[tenant], body) {
                Ok((200, reply)) => {
                    let stored = reply["acknowledged"].as_array().into_iter().flatten();
                    let stored = stored.filter(|one| one["message_id"].is_string()).count();
                    ensure!(stored == count, "{stored} of {count} were stored: {reply}");
                    return Ok(());
                }
                Ok((status, reply)) => format!("{status}: {reply}"),
                Err(error) => error.to_string(),
            };
            ensure!(Instant::now() < deadline, "tenant {tenant} was not served in time: {said}");
            self.repeated.fetch_add(1, Ordering::Relaxed);
            *server += 1;
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Looks for one message in each tenant while all of them are stored. A search that ran out of its time says so; it is
    /// counted and asked again, because the servers still index what was stored last.
    fn ask_questions(&self) -> Result<Value> {
        let address = self.addresses.read().map_err(|_| anyhow!("a client panicked"))?[1].clone();
        let (mut seconds, mut unfinished) = (Vec::new(), 0_usize);
        for round in 0..2 {
            for (tenant, token) in self.tokens.iter().enumerate() {
                let wanted = (tenant * 37 + round * 11) % self.load.messages;
                let body = json!({ "pattern": format!("run_{wanted}"), "mode": "full_text", "scope": "messages", "within": "all" });
                loop {
                    let started = Instant::now();
                    let (status, reply) = send_post(&address, "/v1/grep", token, &body)?;
                    seconds.push(started.elapsed().as_secs_f64());
                    if status == 200 && reply.to_string().contains("msg_") {
                        break;
                    }
                    unfinished += 1;
                    ensure!(status == 200 && reply["complete"] == false && unfinished < 50, "{status}: {reply}");
                }
            }
        }
        let mut answers = duration_percentiles(seconds);
        answers["ran_out_of_time"] = json!(unfinished);
        Ok(answers)
    }
}

/// The first number under a name, wherever it stands.
fn find_number(value: &Value, name: &str) -> Option<u64> {
    match value {
        Value::Object(fields) => fields
            .get(name)
            .and_then(Value::as_u64)
            .or_else(|| fields.values().find_map(|value| find_number(value, name))),
        Value::Array(values) => values.iter().find_map(|value| find_number(value, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
