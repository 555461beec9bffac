//! What a column's name says about it.

use super::mapping::Role;
use super::pace::Unit;

/// What a name says: a role, how sure it is, and a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Named {
    pub(super) role: Role,
    /// 2 when the name says nothing else, 1 when it says more.
    pub(super) strength: u8,
    pub(super) unit: Option<Unit>,
}

/// The words of a name: cut at anything but letters and digits, and at capitals within.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        let cut = !c.is_alphanumeric() || (c.is_uppercase() && lower_before);
        if cut && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        if matches!(c, '/') {
            words.push("per".into());
            words.push(String::new());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

const ID: &[&str] = &[
    "id", "ids", "key", "name", "item", "items", "page", "package", "document", "doc", "title", "product", "feed",
    "element", "paper", "sku", "slug", "artikel", "seite", "produit", "nom",
];
const RATE: &[&str] =
    &["rate", "rates", "lambda", "λ", "frequency", "freq", "änderungsrate", "rate", "taux", "häufigkeit", "hazard"];
const INTERVAL: &[&str] = &["interval", "intervals", "intervall", "intervalle", "period", "every", "gap", "mtbc"];
const WEIGHT: &[&str] = &[
    "weight",
    "weights",
    "w",
    "importance",
    "priority",
    "popularity",
    "dependents",
    "traffic",
    "views",
    "pagerank",
    "gewicht",
    "poids",
];
const COST: &[&str] = &["cost", "costs", "price", "kosten", "coût", "cout"];
const COUNT: &[&str] = &["count", "counts", "multiplicity", "copies", "n", "anzahl", "nombre"];
const MIN: &[&str] = &["min", "minimum", "lo", "lower"];
const MAX: &[&str] = &["max", "maximum", "hi", "upper", "cap"];
const SHAPE: &[&str] = &["shape", "weibull"];
const ALPHA: &[&str] = &["alpha", "α"];
const BETA: &[&str] = &["beta", "β"];
const HOST: &[&str] = &["host", "hostname", "domain", "server", "site", "website"];
const URL: &[&str] = &["url", "urls", "uri", "link", "href", "address"];
const SYNCED: &[&str] = &[
    "sync",
    "synced",
    "visit",
    "visited",
    "crawl",
    "crawled",
    "fetch",
    "fetched",
    "check",
    "checked",
    "refresh",
    "refreshed",
    "poll",
    "polled",
    "retrieved",
    "lastsync",
];
/// Counts of what happened say how often only together with a time.
const HAPPENED: &[&str] = &["changes", "change", "releases", "release", "updates", "update", "edits"];

/// What a name says, if anything.
pub(super) fn named(name: &str) -> Option<Named> {
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let word = |text: &str| words.iter().any(|known| known == text);
    let last = words.last().map_or("", String::as_str);
    // "interval_min" is in minutes, "min_interval" is a limit.
    let minutes = last == "min" && words.len() > 1 && has(INTERVAL);
    let unit = if minutes { Some(Unit::Minutes) } else { unit(&words) };
    let limit = (has(MIN) && !minutes) || has(MAX);
    let role = match () {
        () if limit && has(INTERVAL) => return None,
        () if has(MIN) && !minutes => Role::Min,
        () if has(MAX) => Role::Max,
        () if has(COST) => Role::Cost,
        () if has(INTERVAL) => Role::Interval,
        () if (word("last") && has(SYNCED)) || (word("at") && has(SYNCED)) || word("lastsync") => Role::LastSync,
        () if has(RATE) || (word("per") && unit.is_some()) => Role::Rate,
        () if has(HAPPENED) => return None,
        () if has(WEIGHT) => Role::Weight,
        () if has(COUNT) => Role::Count,
        () if has(SHAPE) => Role::Shape,
        () if has(ALPHA) => Role::Alpha,
        () if has(BETA) => Role::Beta,
        () if has(URL) => Role::Url,
        () if has(HOST) => Role::Host,
        () if has(ID) => Role::Id,
        () => return None,
    };
    let sure = words.len() == 1
        || (role.has_unit() && unit.is_some())
        || role == Role::LastSync
        || (role == Role::Id && word("id"));
    Some(Named { role, strength: 1 + u8::from(sure), unit: unit.filter(|_| role.has_unit()) })
}

/// The unit that the last word to name one names. One letter or "min" counts only as the last of several words.
fn unit(words: &[String]) -> Option<Unit> {
    let plausible = |(place, word): &(usize, &String)| {
        word.len() > 1 && *word != "min" && *word != "an"
            || (*place > 0 && *place + 1 == words.len() && word.as_str() != "an")
    };
    words
        .iter()
        .enumerate()
        .filter(plausible)
        .filter_map(|(_, word)| match Unit::named(word) {
            Some((1.0, unit)) => Some(unit),
            _ => None,
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_role_and_unit() {
        for (name, role, unit) in [
            ("rate", Role::Rate, None),
            ("changeRate", Role::Rate, None),
            ("rate (per week)", Role::Rate, Some(Unit::Weeks)),
            ("changes_per_day", Role::Rate, Some(Unit::Days)),
            ("changes/hour", Role::Rate, Some(Unit::Hours)),
            ("λ", Role::Rate, None),
            ("interval_days", Role::Interval, Some(Unit::Days)),
            ("interval_min", Role::Interval, Some(Unit::Minutes)),
            ("Mean interval [h]", Role::Interval, Some(Unit::Hours)),
            ("every", Role::Interval, None),
            ("Gewicht", Role::Weight, None),
            ("min", Role::Min, None),
            ("max_per_week", Role::Max, Some(Unit::Weeks)),
            ("cost per visit", Role::Cost, None),
            ("last_sync", Role::LastSync, None),
            ("crawledAt", Role::LastSync, None),
            ("document_id", Role::Id, None),
            ("package", Role::Id, None),
            ("URL", Role::Url, None),
            ("host", Role::Host, None),
            ("count", Role::Count, None),
            ("beta", Role::Beta, None),
        ] {
            let named = named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((named.role, named.unit), (role, unit), "{name}");
        }
        for name in ["min_interval", "releases", "change count", "last_release", "days", "colour", ""] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
