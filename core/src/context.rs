//! Who sends a statement, or makes a request, and where to.

use smallvec::SmallVec;

/// Tags that are kept without asking for memory.
const TAGS: usize = 4;

/// Who sends a statement, or makes a request, and where to: bytes of any kind, compared as they are.
///
/// ```
/// use sqlthrottle::Context;
///
/// let context = Context::new().user("dev").client("192.168.0.7").database("shop").tag("endpoint", "report");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Context<'a> {
    pub(crate) user: Option<&'a [u8]>,
    pub(crate) client: Option<&'a [u8]>,
    pub(crate) database: Option<&'a [u8]>,
    tags: SmallVec<[(&'a [u8], &'a [u8]); TAGS]>,
}

impl<'a> Context<'a> {
    /// Of nobody in particular.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same where it has to be known to the compiler.
    pub(crate) const fn nobody() -> Self {
        Self { user: None, client: None, database: None, tags: SmallVec::new_const() }
    }

    /// The database user, or whoever else is to be told apart. `name@host` is taken for both where no client is said.
    pub fn user(mut self, user: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.user = Some(user.as_ref());
        self
    }

    /// The address of the client, in its textual form and without a port.
    pub fn client(mut self, client: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.client = Some(client.as_ref());
        self
    }

    /// The database.
    pub fn database(mut self, database: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.database = Some(database.as_ref());
        self
    }

    /// A tag, such as an endpoint or a tenant. Of a name that is given twice the later value holds.
    pub fn tag(mut self, name: &'a (impl AsRef<[u8]> + ?Sized), value: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        match self.tags.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.tags.push((name, value)),
        }
        self
    }

    /// The tags, each with its value.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.tags.iter().copied()
    }

    /// The value of a tag.
    pub(crate) fn tag_value(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.tags.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
