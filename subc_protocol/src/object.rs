//! Decoding that takes a JSON object and nothing else, with any other members in it.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer,
    },
};

/// A `T` decoded from an object; serde's derive alone would also take an array of the members, and
/// would fail on a member whose name has a lone surrogate.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        T::deserialize(MapAccessDeserializer::new(LossyNames(map))).map(Object)
    }
}

/// The members of a map, with what is not Unicode in their names replaced.
struct LossyNames<M>(M);

impl<'de, M: MapAccess<'de>> MapAccess<'de> for LossyNames<M> {
    type Error = M::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, M::Error> {
        match self.0.next_key()? {
            Some(LossyName(name)) => seed.deserialize(name.into_deserializer()).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, M::Error> {
        self.0.next_value_seed(seed)
    }
}

struct LossyName(String);

impl<'de> Deserialize<'de> for LossyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(LossyNameVisitor)
    }
}

struct LossyNameVisitor;

impl Visitor<'_> for LossyNameVisitor {
    type Value = LossyName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<LossyName, E> {
        Ok(LossyName(name.into()))
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<LossyName, E> {
        Ok(LossyName(String::from_utf8_lossy(name).into()))
    }
}
