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
    #[inline]
    pub const fn new() -> Self {
        // Known to the compiler, which otherwise copies the room for tags that are not there.
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
        self.set_tag(name.as_ref(), value.as_ref());
        self
    }

    /// Sets the user, as [`user`](Self::user) does, in place: a context is large, and bindings fill it field by field.
    #[inline]
    pub fn set_user(&mut self, user: Option<&'a [u8]>) {
        self.user = user;
    }

    /// Sets the client, as [`client`](Self::client) does.
    #[inline]
    pub fn set_client(&mut self, client: Option<&'a [u8]>) {
        self.client = client;
    }

    /// Sets the database, as [`database`](Self::database) does.
    #[inline]
    pub fn set_database(&mut self, database: Option<&'a [u8]>) {
        self.database = database;
    }

    /// Sets a tag, as [`tag`](Self::tag) does.
    #[inline]
    pub fn set_tag(&mut self, name: &'a [u8], value: &'a [u8]) {
        match self.tags.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.tags.push((name, value)),
        }
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
