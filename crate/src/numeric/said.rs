//! Numbers as sentences say them.

/// A length of time in days, with two digits and the unit that suits it, after "every": "20 hours", "3.2 days", "day".
#[must_use]
pub fn span(days: f64) -> String {
    let (amount, unit) = match days {
        _ if days >= 730.0 => (days / 365.2425, "year"),
        _ if days >= 60.0 => (days / MONTH, "month"),
        _ if days >= 1.0 => (days, "day"),
        _ if days >= 1.0 / 24.0 => (days * 24.0, "hour"),
        _ if days >= 1.0 / 1_440.0 => (days * 1_440.0, "minute"),
        _ => (days * 86_400.0, "second"),
    };
    let amount = figure(amount);
    if amount == "1" { unit.into() } else { format!("{amount} {unit}s") }
}

/// A length of time in days, after "in": "20 hours", "1 day".
#[must_use]
pub fn length(days: f64) -> String {
    let said = span(days);
    if said.starts_with(|c: char| c.is_ascii_digit()) { said } else { format!("1 {said}") }
}

/// The mean length of a month in days.
pub const MONTH: f64 = 365.2425 / 12.0;

/// A positive number with two digits or more.
#[must_use]
pub fn figure(value: f64) -> String {
    match value {
        _ if value >= 9.95 => format!("{value:.0}"),
        _ if value >= 0.995 => format!("{value:.1}").trim_end_matches(".0").into(),
        _ => format!("{value:.2}"),
    }
}

/// "1 change", "7 changes".
#[must_use]
pub fn counted(number: f64, singular: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {singular}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_in_the_unit_that_suits_them() {
        let said = [1e-6, 0.01, 0.5, 1.0, 3.25, 75.0, 400.0, 3_652.0].map(span);
        assert_eq!(
            said,
            ["0.09 seconds", "14 minutes", "12 hours", "day", "3.2 days", "2.5 months", "13 months", "10 years"]
        );
        assert_eq!((length(1.0), length(3.25)), ("1 day".into(), "3.2 days".into()));
        assert_eq!((counted(1.0, "change"), counted(0.0, "visit")), ("1 change".into(), "0 visits".into()));
    }
}
