//! Values that are no objects with a table: texts, numbers, lists, maps.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::message::RequestId;
use protocol_droid_ir::{Item, JsonObject, JsonText, Number, Text};

use crate::reader::{Read, Reader};
use crate::wire::{Also, AlsoWrite, Object, Wire};
use crate::wire_content::write_unknown;
use crate::writer::{Writer, Written};

impl Wire for Text {
    #[inline]
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.text()
    }

    #[inline]
    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.text(self);
        Ok(())
    }
}

impl Wire for bool {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.boolean()
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.out().extend_from_slice(if *self { b"true" } else { b"false" });
        Ok(())
    }
}

impl Wire for u64 {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let number = Number::read(r)?;
        number.as_u64().ok_or_else(|| {
            r.mismatch("a whole number from 0 to 18446744073709551615", number.as_str())
        })
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.out().extend_from_slice(self.to_string().as_bytes());
        Ok(())
    }
}

impl Wire for i64 {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let number = Number::read(r)?;
        number.as_i64().ok_or_else(|| r.mismatch("a whole number of 64 bits", number.as_str()))
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.out().extend_from_slice(self.to_string().as_bytes());
        Ok(())
    }
}

impl Wire for Number {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.expect(Kind::Number)?;
        let json = r.json()?;
        Number::from_json(json).ok_or_else(|| r.unexpected("a number"))
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.out().extend_from_slice(self.as_str().as_bytes());
        Ok(())
    }
}

impl Wire for RequestId {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        match r.kind()? {
            Kind::String => r.text().map(Self::Text),
            Kind::Number => {
                let number = Number::read(r)?;
                if !number.is_integer() {
                    return Err(r.mismatch("a string or a whole number", number.as_str()));
                }
                Ok(Self::Number(number))
            }
            _ => Err(r.unexpected("a string or a whole number")),
        }
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        self.write_json(w.out());
        Ok(())
    }
}

impl Wire for JsonText {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.json()
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.json(self);
        Ok(())
    }
}

impl Wire for JsonObject {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.expect(Kind::Object)?;
        let json = r.json()?;
        JsonObject::try_from(json).map_err(|_| r.unexpected("an object"))
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.json(self.as_json());
        Ok(())
    }
}

impl<T: Wire> Wire for Box<T> {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        T::read(r).map(Self::new)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        (**self).write(w)
    }
}

impl<T: Object> Object for Box<T> {
    fn read_with<'b>(r: &mut Reader<'b>, also: Also<'_, 'b>) -> Read<Self> {
        T::read_with(r, also).map(Self::new)
    }

    fn write_with(&self, w: &mut Writer<'_>, also: AlsoWrite<'_>) -> Written {
        (**self).write_with(w, also)
    }
}

/// An item of a list: one that cannot be read costs only itself.
impl<T: Wire> Wire for Item<T> {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.item(|r| T::read(r).map(Self::Known), Self::Unknown)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Known(item) => item.write(w),
            Self::Unknown(unknown) => write_unknown(unknown, w),
        }
    }
}

/// An object whose names are data, in its order; a name that is there twice is an error.
pub(crate) mod map {
    use super::*;

    pub(crate) fn read<T: Wire>(r: &mut Reader<'_>) -> Read<Vec<(Text, T)>> {
        let mut entries: Vec<(Text, T)> = Vec::new();
        r.object(|r, key| {
            r.path().named(key.name());
            let value = T::read(r)?;
            r.path().leave();
            entries.push((r.name(key), value));
            Ok(())
        })?;
        let mut names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(twice) => {
                r.path().named(twice[0]);
                Err(r.duplicate())
            }
            None => Ok(entries),
        }
    }

    pub(crate) fn write<T: Wire>(entries: &[(Text, T)], w: &mut Writer<'_>) -> Written {
        w.object(|w| entries.iter().try_for_each(|(name, value)| w.entry(name, |w| value.write(w))))
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let mut items = Vec::new();
        r.array(|r| {
            items.push(T::read(r)?);
            Ok(())
        })?;
        Ok(items)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        w.array(self, |w, item| item.write(w))
    }
}
