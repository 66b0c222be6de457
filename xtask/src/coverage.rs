//! What the schemas define against what the codecs carry.

use std::{collections::BTreeMap, fmt};

use crate::{
    carried::Carried,
    error::Error,
    model::{Model, Models},
    reviewed::{REVIEWED, Review, SAME},
    revision::{Mask, REVISIONS, bit},
    shape::Shape,
    tables::{Tables, arms},
};

/// What is counted.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Kind {
    /// A named definition.
    Definition,
    /// A member of an object, by `Type.member`.
    Member,
    /// A text that an enum allows, by `Enum = text`.
    Value,
    /// A type that a union allows, by `Union | Type`.
    Arm,
    /// A method.
    Method,
}

impl Kind {
    /// All kinds, by the name of many.
    const ALL: [(Self, &str); 5] = [
        (Self::Definition, "definitions"),
        (Self::Member, "members"),
        (Self::Value, "enum values"),
        (Self::Arm, "union arms"),
        (Self::Method, "methods"),
    ];
}

/// Where something is defined, and where it is carried.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    defined: Mask,
    carried: Mask,
}

/// What there is, by kind and name.
type Items = BTreeMap<(Kind, String), Masks>;

/// The schemas held against what is carried and what is reviewed.
#[derive(Debug)]
pub(crate) struct Coverage {
    items: Items,
    reviews: &'static [Review],
}

/// The coverage of the schemas by the codecs.
pub(crate) fn coverage(models: &Models) -> Result<Coverage, Error> {
    let tables = Tables::new(models)?;
    let carried = Carried::new(&tables, SAME);
    Ok(Coverage { items: items(models, &tables, &carried), reviews: REVIEWED })
}

impl Coverage {
    /// Fails if something is neither carried nor reviewed, or a review is of nothing.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let missing = self.missing().map(|((_, name), mask)| format!("{name}{}", At(mask)));
        let stale = self.reviews.iter().flat_map(|review| review.of).copied();
        let stale = stale.filter(|name| self.reviewed(&[name]).next().is_none());
        let stale = stale.map(|name| format!("{name} needs no review"));
        let faults: Vec<String> = missing.chain(stale).map(|fault| format!("  {fault}")).collect();
        if faults.is_empty() { Ok(()) } else { Err(Error::Coverage(faults)) }
    }

    /// What no table carries, with the revisions where that is so.
    fn uncarried(&self) -> impl Iterator<Item = (&(Kind, String), Mask)> {
        let masks = self.items.iter().map(|(key, masks)| (key, masks.defined & !masks.carried));
        masks.filter(|(_, mask)| *mask != 0)
    }

    /// What is uncarried and one of `names`, or in it.
    fn reviewed(&self, names: &[&str]) -> impl Iterator<Item = (&(Kind, String), Mask)> {
        self.uncarried().filter(|((_, name), _)| names.iter().any(|of| is_in(of, name)))
    }

    /// What is neither carried nor reviewed.
    fn missing(&self) -> impl Iterator<Item = (&(Kind, String), Mask)> {
        self.uncarried().filter(|((_, name), _)| !self.is_reviewed(name))
    }

    fn is_reviewed(&self, name: &str) -> bool {
        self.reviews.iter().flat_map(|review| review.of).any(|of| is_in(of, name))
    }

    /// `carried / reviewed / missing` of one kind at one revision.
    fn counts(&self, kind: Kind, revision: usize) -> [usize; 3] {
        let mut counts = [0; 3];
        for ((_, name), masks) in self.items.iter().filter(|((of, _), _)| *of == kind) {
            if masks.defined & bit(revision) == 0 {
                continue;
            }
            counts[match masks.carried & bit(revision) {
                0 if self.is_reviewed(name) => 1,
                0 => 2,
                _ => 0,
            }] += 1;
        }
        counts
    }

    fn report(&self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{:12}", "")?;
        for (_, name) in Kind::ALL {
            write!(f, "{name:>16}")?;
        }
        f.write_char('\n')?;
        for (revision, name) in REVISIONS.iter().enumerate() {
            write!(f, "{name:12}")?;
            for (kind, _) in Kind::ALL {
                let [carried, reviewed, missing] = self.counts(kind, revision);
                write!(f, "{:>16}", format!("{carried} / {reviewed} / {missing}"))?;
            }
            f.write_char('\n')?;
        }
        writeln!(f, "\nEach is carried / reviewed / missing. The reviewed:")?;
        for review in self.reviews {
            let count = self.reviewed(review.of).count();
            writeln!(f, "\n- {} ({count})\n  {}", review.reason, review.of.join(", "))?;
        }
        if self.missing().next().is_some() {
            writeln!(f, "\nThe missing:\n")?;
        }
        for ((_, name), mask) in self.missing() {
            writeln!(f, "- {name}{}", At(mask))?;
        }
        Ok(())
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report(f)
    }
}

/// Revisions, as the end of a line.
struct At(Mask);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" at")?;
        let all = REVISIONS.iter().enumerate();
        let mut set = all.filter(|(revision, _)| self.0 & bit(*revision) != 0);
        set.try_for_each(|(_, name)| write!(f, " {name}"))
    }
}

/// Whether `name` is `of`, or something in it.
fn is_in(of: &str, name: &str) -> bool {
    name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
}

/// Everything that the schemas define, and where it is carried.
fn items(models: &Models, tables: &Tables, carried: &Carried) -> Items {
    let mut items = Items::new();
    let mut add = |kind, name: String, defined, carried| {
        let masks = items.entry((kind, name)).or_default();
        masks.defined |= defined;
        masks.carried |= defined & if carried { Mask::MAX } else { 0 };
    };
    for (of, members) in &tables.types {
        for (name, member) in members {
            let is_carried = carried.member(of, name).is_some();
            add(Kind::Member, format!("{of}.{name}"), member.defined, is_carried);
        }
    }
    for (name, method) in &tables.methods {
        let defined = method.directions.iter().fold(0, |all, mask| all | mask);
        add(Kind::Method, name.clone(), defined, carried.has_method(name));
    }
    for (revision, model) in models.revisions.iter().enumerate() {
        let at = Reach { model, carried };
        for name in model.definitions.keys() {
            add(Kind::Definition, name.clone(), bit(revision), at.definition(name));
        }
        for (of, values) in &tables.enums {
            for (value, _) in values.iter().filter(|(_, mask)| **mask & bit(revision) != 0) {
                add(Kind::Value, format!("{of} = {value}"), bit(revision), at.text(of));
            }
        }
        for (of, arms) in &tables.unions {
            for (arm, _) in arms.iter().filter(|(_, mask)| **mask & bit(revision) != 0) {
                add(Kind::Arm, format!("{of} | {arm}"), bit(revision), at.definition(arm));
            }
        }
    }
    items
}

/// What is carried of one revision.
struct Reach<'a> {
    model: &'a Model,
    carried: &'a Carried,
}

impl Reach<'_> {
    /// Whether the definition is carried: an object by a table, a message by its method, a union by
    /// a member or any of its arms, which are counted by themselves, a set of texts as text, a list by its items, and any other value
    /// by a member.
    fn definition(&self, name: &str) -> bool {
        let item = name.strip_suffix("[]").filter(|_| !self.model.definitions.contains_key(name));
        if let Some(item) = item {
            return self.definition(item);
        }
        if self.carried.has_type(name) {
            return true;
        }
        if let Some(Shape::Ref(target)) = self.model.definitions.get(name) {
            return self.definition(target);
        }
        match self.model.definitions.get(name) {
            Some(Shape::Object(fields)) => match fields.get("method").map(|field| &field.shape) {
                Some(Shape::Const(method)) => self.carried.has_method(method.trim_matches('"')),
                _ => false,
            },
            Some(Shape::Enum(_)) => self.text(name),
            Some(Shape::Union(_)) => {
                let mut arms = arms(self.model, name).into_iter();
                self.holders(name).next().is_some() || arms.any(|arm| self.definition(&arm))
            }
            _ => self.holders(name).next().is_some(),
        }
    }

    /// Whether the members that hold `name` do so as text, whatever it is.
    fn text(&self, name: &str) -> bool {
        let mut holders = self.holders(name).peekable();
        holders.peek().is_some()
            && holders.all(|holder| holder.trim_end_matches('>').ends_with("::Text"))
    }

    /// The Rust types of the members that hold `name`, alone, in a list or by name.
    fn holders(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let places = self.model.references.iter().filter(move |(_, target)| *target == name);
        places.filter_map(|(place, _)| {
            let place = place.trim_end_matches(['[', ']', '{', '}']);
            let dots = place.match_indices('.');
            dots.filter_map(|(at, _)| self.carried.member(&place[..at], &place[at + 1..])).next()
        })
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;
    use crate::workspace::{self, Workspace};

    const TEXT: &str = "Option<ir::text::Text>";

    /// One revision: a type with an enum, a union and a base, and a message.
    fn cover(carried: &Carried, reviews: &'static [Review]) -> Coverage {
        let schema = json!({ "definitions": {
            "Base": { "properties": { "name": {} } },
            "ClientRequest": { "anyOf": [{ "$ref": "#/definitions/PingRequest" }] },
            "Icon": { "properties": {
                "level": { "$ref": "#/definitions/Level" },
                "theme": { "enum": ["dark", "light"] },
            } },
            "Level": { "enum": ["low"] },
            "PingRequest": { "properties": { "method": { "const": "ping" } } },
            "Picture": { "anyOf": [{ "$ref": "#/definitions/Base" }, { "$ref": "#/definitions/Icon" }] },
        } });
        let models = workspace::models(&[schema]).unwrap();
        let tables = Tables::merge(&models).unwrap();
        Coverage { items: items(&models, &tables, carried), reviews }
    }

    /// What is wrong, without the revision, which is the first.
    fn faults(coverage: &Coverage) -> Vec<String> {
        match coverage.check() {
            Err(Error::Coverage(faults)) => {
                faults.iter().map(|fault| fault.trim().replace(" at 2024-11-05", "")).collect()
            }
            other => {
                other.unwrap();
                Vec::new()
            }
        }
    }

    #[test]
    fn the_codecs_carry_the_schemas() {
        let models = workspace::models(&Workspace::here().read_schemas().unwrap()).unwrap();
        coverage(&models).unwrap().check().unwrap();
    }

    #[test]
    fn names_what_no_table_carries() {
        let carried = Carried::of(&[("Icon", "theme", TEXT)], &[]);
        assert_eq!(
            faults(&cover(&carried, &[])),
            [
                "Base",
                "ClientRequest",
                "Level",
                "PingRequest",
                "Base.name",
                "Icon.level",
                "PingRequest.method",
                "Level = low",
                "ClientRequest | PingRequest",
                "Picture | Base",
                "ping",
            ]
        );
    }

    #[test]
    fn a_review_is_of_all_that_is_in_it_and_of_something() {
        const REVIEWS: &[Review] = &[
            Review { of: &["Base", "Picture | Base"], reason: "a base" },
            Review { of: &["PingRequest.method", "Ico"], reason: "an envelope" },
        ];
        let members = [("Icon", "theme", TEXT), ("Icon", "level", TEXT)];
        let coverage = cover(&Carried::of(&members, &["ping"]), REVIEWS);
        assert_eq!(faults(&coverage), ["Ico needs no review"]);
        assert_eq!(coverage.counts(Kind::Definition, 0), [6, 1, 0]);
        assert_eq!(coverage.counts(Kind::Member, 0), [2, 2, 0]);
        assert_eq!(coverage.counts(Kind::Value, 0), [3, 0, 0]);
        assert_eq!(coverage.counts(Kind::Arm, 0), [2, 1, 0]);
        assert_eq!(coverage.counts(Kind::Method, 0), [1, 0, 0]);
        assert_eq!(coverage.counts(Kind::Method, 1), [0, 0, 0]);
        let report = coverage.to_string();
        assert!(report.contains("\n- a base (3)\n  Base, Picture | Base\n"), "{report}");
        assert!(!report.contains("The missing"), "{report}");
    }

    #[test]
    fn a_text_is_carried_by_what_takes_any() {
        let of = |holder| {
            let carried = Carried::of(&[("Icon", "theme", holder)], &[]);
            cover(&carried, &[]).counts(Kind::Value, 0)
        };
        assert_eq!(of("Option<Vec<ir::text::Text>>"), [2, 0, 1]);
        assert_eq!(of("ir::Theme"), [0, 0, 3]);
        assert_eq!(of("ir::JsonText"), [0, 0, 3]);
    }
}
