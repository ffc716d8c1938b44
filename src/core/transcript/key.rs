//! Ids of records as numbers: one word to compare instead of a text to allocate.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher},
};

use uuid::Uuid;

/// The id of a record, a message or a tool call.
///
/// A UUID in its usual form is its own value; of any other text it is a hash, wide enough that two texts in
/// one transcript do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The key of an id.
    pub fn of(id: &str) -> Self {
        Self::of_uuid(id).unwrap_or_else(|| {
            let half = |salt: u8| {
                let mut hasher = DefaultHasher::new();
                (salt, id).hash(&mut hasher);
                u128::from(hasher.finish())
            };
            Self(half(0) << 64 | half(1))
        })
    }

    /// The key of a UUID in its usual form: 36 characters, in lower case because it is written back that way.
    fn of_uuid(id: &str) -> Option<Self> {
        let usual = id.len() == 36 && !id.bytes().any(|byte| byte.is_ascii_uppercase());
        usual.then(|| Uuid::try_parse(id).ok().map(|uuid| Self(uuid.as_u128())))?
    }

    /// The id as text; only for ids that are UUIDs.
    fn uuid_text(self) -> String {
        Uuid::from_u128(self.0).as_hyphenated().to_string()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(self.0);
    }
}

/// Mixes the one word of a [`Key`], which is random already.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(*byte));
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves are mixed")]
    fn write_u128(&mut self, value: u128) {
        // The map takes its buckets from the low bits and its tags from the high ones.
        let mixed = (self.0 ^ value as u64 ^ (value >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// A map from ids.
pub type KeyMap<T> = HashMap<Key, T, BuildHasherDefault<KeyHasher>>;

/// A set of ids.
pub type KeySet = HashSet<Key, BuildHasherDefault<KeyHasher>>;

/// The texts of the ids that are no UUIDs, so that every id can be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(KeyMap<Box<str>>);

impl Names {
    /// The key of an id, remembering the text where the key alone does not tell it.
    pub(super) fn key(&mut self, id: &str) -> Key {
        Key::of_uuid(id).unwrap_or_else(|| {
            let key = Key::of(id);
            self.0.entry(key).or_insert_with(|| id.into());
            key
        })
    }

    /// The id as text.
    pub(super) fn text(&self, key: Key) -> String {
        self.0.get(&key).map_or_else(|| key.uuid_text(), ToString::to_string)
    }

    /// Whether the id starts with `prefix`.
    pub(super) fn starts_with(&self, key: Key, prefix: &str) -> bool {
        self.0.get(&key).map_or_else(|| key.uuid_text().starts_with(prefix), |text| text.starts_with(prefix))
    }
}
