//! What the page holds: files being read, loaded sets with their last plan, timetables and simulations under way.
//! Data stay on this side behind handles, so that a turned knob sends a few numbers and gets back a few charts.

use std::rc::Rc;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::reading::read_value;
use super::simulate::{SimulateReply, seed};
use super::{Thrown, read, reply, thrown};
use crate::allocate::Averages;
use crate::ingest::{self, BadCell, ColumnCount, Ids, Mapping, Progress};
use crate::plan::{Meaning, PlanTable};
use crate::problem::{Kind, Problem};
use crate::replay::{self, MonteCarlo};
use crate::timetable as schedule;
use crate::view::dataset::About;
use crate::view::{self, Rows, Series, write};

/// How much work one step of a job does: about ten milliseconds of it.
const VISITS_A_STEP: usize = 40_000;

/// A file being read: push all its bytes, say `end()`, call `step()` until it is done, then `finish()`.
#[wasm_bindgen]
pub struct Reading {
    reader: ingest::Reader,
    name: String,
}

#[wasm_bindgen]
impl Reading {
    /// Starts reading a file of this name, which only helps to tell its format, and of so many bytes, if that is known.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: Option<usize>) -> Thrown<Self> {
        let mut reader = ingest::Reader::new(name);
        reader.expect(size.unwrap_or(0)).map_err(thrown)?;
        Ok(Self { reader, name: name.into() })
    }

    /// Adds bytes.
    pub fn push(&mut self, chunk: &[u8]) -> Thrown<()> {
        self.reader.push(chunk).map_err(thrown)
    }

    /// Says that no more bytes will come.
    pub fn end(&mut self) {
        self.reader.end();
    }

    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        reply(&self.reader.step().map_err(thrown)?)
    }

    /// The table that was read.
    pub fn finish(self) -> Thrown<Table> {
        let fingerprint = self.reader.fingerprint();
        Ok(Table { cells: Arc::new(self.reader.finish().map_err(thrown)?), name: self.name, fingerprint })
    }
}

fn unfinished() -> JsValue {
    thrown(Problem::new(Kind::Internal, "this job is not finished yet", "Step it until it is done."))
}

/// A table that was read: all its cells as text.
#[wasm_bindgen]
pub struct Table {
    pub(super) cells: Arc<ingest::Table>,
    name: String,
    fingerprint: String,
}

#[wasm_bindgen]
impl Table {
    /// The table that travelled inside a plan.
    #[wasm_bindgen(js_name = fromPlan)]
    pub fn from_plan(#[wasm_bindgen(unchecked_param_type = "PlanTable")] table: JsValue) -> Thrown<Self> {
        let shared: PlanTable = read(table, "the plan's table")?;
        let table = Arc::new(shared.table().map_err(thrown)?);
        Ok(Self { cells: table, name: shared.name, fingerprint: String::new() })
    }

    /// The table of a plan: with its cells where those in use have at most `most` bytes, otherwise known by its
    /// fingerprint.
    #[wasm_bindgen(js_name = toPlan, unchecked_return_type = "PlanTable")]
    pub fn to_plan(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Meaning")] meaning: JsValue,
        drop_bad: bool,
        most: usize,
    ) -> Thrown<JsValue> {
        let meaning: Meaning = read(meaning, "meaning")?;
        reply(&PlanTable::of(&self.cells, &self.name, &self.fingerprint, &meaning, drop_bad, most).map_err(thrown)?)
    }

    /// What the file is known by: 16 hexadecimal digits; empty for a table that came inside a plan.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    /// What was understood of it: format, columns, guesses with their reasons.
    #[wasm_bindgen(unchecked_return_type = "Understood")]
    pub fn understood(&self) -> Thrown<JsValue> {
        reply(self.cells.understood())
    }

    /// The guess of which column is what.
    #[wasm_bindgen(unchecked_return_type = "Mapping")]
    pub fn mapping(&self) -> Thrown<JsValue> {
        reply(&self.cells.understood().mapping())
    }

    /// Starts to turn the columns into items, as this mapping says.
    pub fn mapper(&self, #[wasm_bindgen(unchecked_param_type = "Mapping")] mapping: JsValue) -> Thrown<Mapper> {
        let mapping: Mapping = read(mapping, "mapping")?;
        let job = ingest::Mapper::new(Arc::clone(&self.cells), mapping).map_err(thrown)?;
        Ok(Mapper { job: Some(job), mapped: None, title: self.name.clone() })
    }
}

/// Columns being turned into items: `step()` until it is done, read the `report()`, then `finish()`.
#[wasm_bindgen]
pub struct Mapper {
    job: Option<ingest::Mapper>,
    mapped: Option<ingest::Mapped>,
    title: String,
}

#[wasm_bindgen]
impl Mapper {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let progress = match &mut self.job {
            Some(job) => job.step(),
            None => Progress { fraction: 1.0, done: true },
        };
        if progress.done
            && let Some(job) = self.job.take()
        {
            self.mapped = Some(job.finish());
        }
        reply(&progress)
    }

    /// What was found: how many rows, which cells cannot be used.
    #[wasm_bindgen(unchecked_return_type = "MapReport")]
    pub fn report(&self) -> Thrown<JsValue> {
        let mapped = self.mapped.as_ref().ok_or_else(unfinished)?;
        reply(&MapReport::from(mapped))
    }

    /// The set of items. Rows with bad cells are left out if `drop_bad`; otherwise there must be none.
    pub fn finish(self, drop_bad: bool) -> Thrown<Dataset> {
        let mapped = self.mapped.ok_or_else(unfinished)?;
        let dataset = view::Dataset::from_file(&self.title, mapped, drop_bad).map_err(thrown)?;
        Ok(Dataset(dataset))
    }
}

/// What was found while the columns were turned into items.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MapReport<'a> {
    /// Rows of data.
    rows: usize,
    /// Rows that have a cell which cannot be used.
    bad_rows: usize,
    /// Cells that cannot be used.
    bad_cells: usize,
    /// How many of them each column has.
    by_column: &'a [ColumnCount],
    /// The first thousand of them.
    listed: &'a [BadCell],
    /// What was assumed, in sentences.
    notes: &'a [String],
}

impl<'a> From<&'a ingest::Mapped> for MapReport<'a> {
    fn from(mapped: &'a ingest::Mapped) -> Self {
        Self {
            rows: mapped.len(),
            bad_rows: mapped.bad.rows.len(),
            bad_cells: mapped.bad.total,
            by_column: &mapped.bad.by_column,
            listed: &mapped.bad.listed,
            notes: &mapped.notes,
        }
    }
}

/// The examples that come with Afresh.
#[wasm_bindgen(js_name = examples, unchecked_return_type = "Example[]")]
pub fn example_list() -> Thrown<JsValue> {
    reply(&ingest::EXAMPLES)
}

/// A loaded set of items and its last plan.
#[wasm_bindgen]
pub struct Dataset(view::Dataset);

#[wasm_bindgen]
impl Dataset {
    /// One of the examples, by its name, with the bytes of its file if it has one.
    #[allow(clippy::needless_pass_by_value, reason = "an optional slice cannot cross the boundary by reference")]
    pub fn example(name: &str, bytes: Option<Vec<u8>>) -> Thrown<Self> {
        view::Dataset::example(name, bytes.as_deref()).map(Self).map_err(thrown)
    }

    /// Cho's gamma database: `items` rates with this mean and ratio δ of standard deviation to mean.
    pub fn gamma(mean: f64, delta: f64, items: usize) -> Thrown<Self> {
        view::Dataset::gamma(mean, delta, items).map(Self).map_err(thrown)
    }

    /// What the set is.
    #[wasm_bindgen(unchecked_return_type = "DatasetSummary")]
    pub fn summary(&self) -> Thrown<JsValue> {
        reply(&self.0.summary())
    }

    /// Plans for these knobs; the plan is kept for the questions below.
    #[wasm_bindgen(unchecked_return_type = "AllocateView")]
    pub fn plan(&mut self, #[wasm_bindgen(unchecked_param_type = "Knobs")] knobs: JsValue) -> Thrown<JsValue> {
        let knobs: view::Knobs = read(knobs, "knobs")?;
        reply(&self.0.plan(&knobs).map_err(thrown)?)
    }

    /// What other budgets would bring: freshness and age of the three policies around the plan's budget.
    #[wasm_bindgen(unchecked_return_type = "TradeoffView")]
    pub fn tradeoff(&self) -> Thrown<JsValue> {
        reply(&self.0.tradeoff().map_err(thrown)?)
    }

    /// A page of the table of items.
    #[wasm_bindgen(unchecked_return_type = "RowsView")]
    pub fn rows(&mut self, #[wasm_bindgen(unchecked_param_type = "RowsQuery")] query: JsValue) -> Thrown<JsValue> {
        let query: view::rows::RowsQuery = read(query, "query")?;
        reply(&self.0.rows(&query).map_err(thrown)?)
    }

    /// Why a row has the frequency that it has.
    #[wasm_bindgen(unchecked_return_type = "Why")]
    pub fn why(&self, row: usize) -> Thrown<JsValue> {
        reply(&self.0.why(row).map_err(thrown)?)
    }

    /// One item between its visits, over so many days from a visit.
    #[wasm_bindgen(unchecked_return_type = "ItemView")]
    pub fn item(&self, row: usize, horizon: f64) -> Thrown<JsValue> {
        reply(&self.0.item(row, horizon).map_err(thrown)?)
    }

    /// Starts to lay the plan out as a timetable.
    pub fn schedule(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ScheduleRequest")] request: JsValue,
    ) -> Thrown<Scheduling> {
        let request: ScheduleRequest = read(request, "schedule")?;
        let (frequency, last_sync) = self.0.to_schedule().map_err(thrown)?;
        let scheduler = schedule::Scheduler::new(&schedule::Request {
            frequency,
            horizon: request.horizon,
            slot: request.slot,
            capacity: request.capacity,
            last_sync,
            start: request.start,
        })
        .map_err(thrown)?;
        Ok(Scheduling {
            job: scheduler,
            about: self.0.about().clone(),
            ids: self.0.ids(),
            rows: self.0.len(),
            start: request.start,
            horizon: request.horizon,
        })
    }

    /// Starts to simulate the plan.
    pub fn simulate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SimulationRequest")] request: JsValue,
    ) -> Thrown<Simulating> {
        let request: SimulationRequest = read(request, "simulation")?;
        let parts = self.0.to_simulate().map_err(thrown)?;
        let job = MonteCarlo::new(&replay::Request {
            changes: &parts.changes,
            weight: &parts.weight,
            frequency: parts.frequency,
            order: parts.order,
            horizon: request.horizon,
            seed: seed(request.seed).map_err(thrown)?,
            runs: request.runs,
            points: request.points,
        })
        .map_err(thrown)?;
        Ok(Simulating { job, predicted: parts.predicted })
    }

    /// The table of items with the plan, as a file.
    pub fn text(&self, #[wasm_bindgen(unchecked_param_type = "PlanFormat")] format: JsValue) -> Thrown<String> {
        let format = file_format(format, "Ask for \"csv\", \"json\" or \"crontab\".")?;
        self.0.text(format).map_err(thrown)
    }
}

pub(super) fn file_format<T: DeserializeOwned>(format: JsValue, hint: &str) -> Thrown<T> {
    read_value(format, "format").map_err(|problem| thrown(Problem { hint: hint.into(), ..problem }))
}

/// What a timetable is laid out for. Times are in days; the start counts from the Unix epoch.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleRequest {
    horizon: f64,
    start: f64,
    #[tsify(optional)]
    slot: Option<f64>,
    #[tsify(optional)]
    capacity: Option<u32>,
}

/// A timetable being laid out: `step()` until it is done, then `finish()`.
#[wasm_bindgen]
pub struct Scheduling {
    job: schedule::Scheduler,
    about: About,
    ids: Rc<Ids>,
    rows: usize,
    start: f64,
    horizon: f64,
}

#[wasm_bindgen]
impl Scheduling {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let fraction = self.job.step(VISITS_A_STEP);
        reply(&Progress { fraction, done: fraction >= 1.0 })
    }

    /// The timetable.
    #[must_use]
    pub fn finish(self) -> Timetable {
        let timetable = self.job.finish();
        let next = view::timetable::next_visits(&timetable, self.rows);
        Timetable {
            visits: timetable,
            next,
            about: self.about,
            ids: self.ids,
            start: self.start,
            horizon: self.horizon,
        }
    }
}

/// A timetable: when to visit what.
#[wasm_bindgen]
pub struct Timetable {
    visits: schedule::Timetable,
    next: Vec<f64>,
    about: About,
    ids: Rc<Ids>,
    start: f64,
    horizon: f64,
}

/// A timetable in numbers, with its load over time in at most 2,000 bins.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TimetableSummary {
    /// How many visits.
    visits: usize,
    /// Farthest that any item is ever ahead of or behind its even share, in visits.
    max_lag: f64,
    /// Length of a slot in days.
    slot: f64,
    /// Most visits in a slot.
    capacity: u32,
    /// When it starts, in days since the Unix epoch.
    start: f64,
    /// How many days it covers.
    horizon: f64,
    /// Start of each bin.
    load_time: Series,
    /// Mean visits per slot in each bin.
    load: Series,
    /// Most visits in a slot of each bin.
    load_max: Series,
}

/// Some visits of a timetable.
#[derive(Serialize, Tsify)]
pub struct TimetablePage {
    /// When, in days since the Unix epoch.
    time: Series,
    /// Which row.
    row: Rows,
    /// Its name.
    id: Vec<String>,
}

#[wasm_bindgen]
impl Timetable {
    /// The timetable in numbers.
    #[wasm_bindgen(unchecked_return_type = "TimetableSummary")]
    pub fn summary(&self) -> Thrown<JsValue> {
        let table = &self.visits;
        let load = view::timetable::load(table, self.start);
        reply(&TimetableSummary {
            visits: table.time.len(),
            max_lag: table.max_lag,
            slot: table.slot,
            capacity: table.capacity,
            start: self.start,
            horizon: self.horizon,
            load_time: load.time,
            load: load.mean,
            load_max: load.most,
        })
    }

    /// Some visits, in order.
    #[wasm_bindgen(unchecked_return_type = "TimetablePage")]
    pub fn page(&self, from: usize, count: usize) -> Thrown<JsValue> {
        let visits = self.visits.time.len();
        let range = from.min(visits)..from.saturating_add(count).min(visits);
        let row = self.visits.item[range.clone()].to_vec();
        reply(&TimetablePage {
            time: self.visits.time[range].to_vec().into(),
            id: row.iter().map(|&i| self.ids.get(i as usize).into_owned()).collect(),
            row: Rows(row),
        })
    }

    /// When each of these rows is visited first; NaN where it is not.
    #[wasm_bindgen(js_name = nextVisit)]
    #[must_use]
    pub fn next_visit(&self, rows: &[u32]) -> Vec<f64> {
        rows.iter().map(|&row| self.next.get(row as usize).copied().unwrap_or(f64::NAN)).collect()
    }

    /// The timetable as a file. A to-do list has the days of a clock so many minutes ahead of UTC, or of UTC itself.
    pub fn text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "TimetableFormat")] format: JsValue,
        offset: Option<i32>,
    ) -> Thrown<String> {
        let format = file_format(format, "Ask for \"csv\", \"json\", \"ical\" or \"to-do\".")?;
        let offset = offset.unwrap_or(0);
        if offset.abs() > 1_440 {
            let message = format!("`offset` is {offset}, but no clock is more than a day ahead of UTC or behind it");
            return Err(thrown(Problem::new(Kind::Value, message, "Give minutes.").in_column("offset")));
        }
        let clock = write::Clock { now: js_sys::Date::now() / 86_400_000.0, offset };
        let visits = write::Visits {
            about: &self.about,
            ids: &self.ids,
            start: self.start,
            horizon: self.horizon,
            timetable: &self.visits,
        };
        visits.text(format, clock).map_err(thrown)
    }
}

/// What is simulated.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SimulationRequest {
    /// Days.
    horizon: f64,
    /// The same seed gives the same runs.
    seed: f64,
    /// How many runs.
    runs: usize,
    /// How many times to report on.
    points: usize,
}

/// A simulation under way: `step()` until it is done, then `finish()`; finishing early keeps the runs made.
#[wasm_bindgen]
pub struct Simulating {
    job: MonteCarlo,
    predicted: Averages,
}

/// A simulated plan, beside what was predicted for it.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SimulationView {
    /// The simulation.
    #[serde(flatten)]
    simulation: SimulateReply,
    /// What the formulas say of freshness.
    predicted_freshness: f64,
    /// What the formulas say of age.
    predicted_age: f64,
}

#[wasm_bindgen]
impl Simulating {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let fraction = self.job.step(VISITS_A_STEP);
        reply(&Progress { fraction, done: fraction >= 1.0 })
    }

    /// What the runs showed.
    #[wasm_bindgen(unchecked_return_type = "SimulationView")]
    pub fn finish(self) -> Thrown<JsValue> {
        let simulation = self.job.finish().map_err(thrown)?;
        reply(&SimulationView {
            simulation: SimulateReply::from(&simulation),
            predicted_freshness: self.predicted.freshness,
            predicted_age: self.predicted.age,
        })
    }
}
