//! YAML to a tree of marked nodes: every key and value with its place, every scalar as written.
//!
//! No type is resolved: `off` is the text `off` and `12345e678901` is a text of twelve characters. The tree is a flat
//! list of nodes that refer to each other by number, so neither reading nor dropping it recurses on the input. An alias
//! refers to the node of its anchor and costs as many nodes as it stands for, which bounds what walking the tree costs.

use super::faults::{Faults, Mark, push_key};
use crate::rule::quantity::quoted;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use std::collections::HashMap;
use std::fmt::Write;

/// Deepest nesting. The deepest rule needs about ten.
const MAX_DEPTH: usize = 32;
/// Most nodes, aliases counted for all they stand for. Three thousand rules with every field need a third of it.
const MAX_NODES: usize = 500_000;
/// Most characters of structure. Up to the end of a flow collection the scanner holds every token of it, so they are
/// counted before it sees any.
const MAX_INDICATORS: usize = 1_000_000;

/// A node's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(usize);

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) mark: Mark,
    pub(super) content: Content,
    /// How many nodes it stands for, itself among them.
    size: usize,
    /// How many levels it has below itself.
    height: usize,
}

/// What a node holds.
#[derive(Debug)]
pub(super) enum Content {
    Scalar {
        text: Box<str>,
        /// Whether it stood there without quotes.
        plain: bool,
    },
    List(Vec<NodeId>),
    Map(Vec<Entry>),
}

/// A key of a map and its value. No key stands twice in one map.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Box<str>,
    pub(super) mark: Mark,
    pub(super) value: NodeId,
}

/// The tree of a file.
#[derive(Debug)]
pub(super) struct Document {
    nodes: Vec<Node>,
    root: Option<NodeId>,
}

impl Document {
    /// The outermost node; none where the file says nothing.
    pub(super) fn root(&self) -> Option<NodeId> {
        self.root
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// How many entries a map has; none where it is no map.
    pub(super) fn entries(&self, id: NodeId) -> usize {
        match &self.node(id).content {
            Content::Map(entries) => entries.len(),
            Content::Scalar { .. } | Content::List(_) => 0,
        }
    }

    /// Whether a node is an empty value or a null.
    pub(super) fn is_nothing(&self, id: NodeId) -> bool {
        matches!(&self.node(id).content, Content::Scalar { text, plain: true } if matches!(&**text, "" | "~" | "null"))
    }
}

/// Reads one document; none where its structure cannot be known. Faults that leave the structure known are collected, and
/// the tree is read on.
pub(super) fn parse(text: &str, faults: &mut Faults) -> Option<Document> {
    let is_indicator = |b: &u8| matches!(b, b',' | b'[' | b']' | b'{' | b'}' | b':' | b'?' | b'&' | b'*' | b'!');
    if text.bytes().filter(|b| is_indicator(b)).count() > MAX_INDICATORS {
        faults.push(
            Mark::START,
            "yaml.too_large",
            "",
            format!("the file has more than {MAX_INDICATORS} brackets, commas, colons and other marks of structure"),
            "write fewer or shorter rules".to_owned(),
        );
        return None;
    }
    let mut builder =
        Builder { faults, text, nodes: Vec::new(), root: None, open: Vec::new(), anchors: HashMap::new(), spent: 0 };
    for event in Parser::new_from_str(text) {
        let read = match event {
            Ok((event, span)) => builder.event(event, mark(span.start)),
            Err(error) => builder.refuse_syntax(&error),
        };
        if read.is_err() {
            return None;
        }
    }
    Some(Document { nodes: builder.nodes, root: builder.root })
}

fn mark(marker: Marker) -> Mark {
    Mark { line: marker.line(), column: marker.col() + 1 }
}

/// The structure cannot be known from here on; the fault is told.
struct Stop;

/// A collection whose end has not come.
struct Open {
    mark: Mark,
    anchor: usize,
    content: OpenContent,
    size: usize,
    height: usize,
}

enum OpenContent {
    List(Vec<NodeId>),
    Map { entries: Vec<Entry>, lines: HashMap<Box<str>, usize>, key: Key },
}

/// The key whose value comes next.
enum Key {
    Awaited,
    Read(Box<str>, Mark),
    /// The key was a fault: its value is read over.
    Refused,
}

struct Builder<'a> {
    text: &'a str,
    faults: &'a mut Faults,
    nodes: Vec<Node>,
    root: Option<NodeId>,
    open: Vec<Open>,
    /// Nodes by their anchor's number. A node is entered at its end, so none can hold itself.
    anchors: HashMap<usize, NodeId>,
    spent: usize,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, mark: Mark) -> Result<(), Stop> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                let expected = "write one document a file, without further `---`";
                self.fault(mark, "yaml.documents", "a second document begins here".to_owned(), expected);
                return Err(Stop);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(mark, tag.is_some());
                self.spend(mark, 1)?;
                let plain = style == ScalarStyle::Plain;
                let id = self.add(mark, Content::Scalar { text: text.into(), plain }, 1, 0, anchor);
                self.attach(id, mark);
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(mark, tag.is_some());
                self.begin(mark, anchor, OpenContent::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(mark, tag.is_some());
                let content = OpenContent::Map { entries: Vec::new(), lines: HashMap::new(), key: Key::Awaited };
                self.begin(mark, anchor, content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let content = match open.content {
                        OpenContent::List(items) => Content::List(items),
                        OpenContent::Map { entries, .. } => Content::Map(entries),
                    };
                    let id = self.add(open.mark, content, open.size, open.height, open.anchor);
                    self.attach(id, open.mark);
                }
            }
            Event::Alias(anchor) => {
                let Some(&id) = self.anchors.get(&anchor) else {
                    let found = "an alias stands inside the value it names".to_owned();
                    self.fault(mark, "yaml.cyclic_alias", found, "write the value out");
                    return Err(Stop);
                };
                let node = &self.nodes[id.0];
                let (size, height) = (node.size, node.height);
                self.spend(mark, size)?;
                self.check_depth(mark, height)?;
                self.attach(id, mark);
            }
        }
        Ok(())
    }

    fn begin(&mut self, mark: Mark, anchor: usize, content: OpenContent) -> Result<(), Stop> {
        self.spend(mark, 1)?;
        self.check_depth(mark, 1)?;
        self.open.push(Open { mark, anchor, content, size: 1, height: 0 });
        Ok(())
    }

    fn add(&mut self, mark: Mark, content: Content, size: usize, height: usize, anchor: usize) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node { mark, content, size, height });
        // The parser numbers anchors from 1; 0 is none.
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        id
    }

    /// Puts a finished node where it belongs: a key, a value, an item or the root.
    fn attach(&mut self, id: NodeId, mark: Mark) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(id);
            return;
        };
        let node = &self.nodes[id.0];
        open.size += node.size;
        open.height = open.height.max(node.height + 1);
        let refused = match &mut open.content {
            OpenContent::List(items) => {
                items.push(id);
                return;
            }
            OpenContent::Map { entries, lines, key } => match std::mem::replace(key, Key::Awaited) {
                Key::Read(key, mark) => {
                    entries.push(Entry { key, mark, value: id });
                    return;
                }
                Key::Refused => return,
                Key::Awaited => {
                    let refused = match &node.content {
                        Content::Scalar { text, .. } => match lines.get(text) {
                            None => {
                                lines.insert(text.clone(), mark.line);
                                *key = Key::Read(text.clone(), mark);
                                return;
                            }
                            Some(line) => Some((text.clone(), *line)),
                        },
                        Content::List(_) | Content::Map(_) => None,
                    };
                    *key = Key::Refused;
                    refused
                }
            },
        };
        if let Some((key, line)) = refused {
            let mut path = self.path();
            push_key(&mut path, &key);
            let found = format!("{} stands here a second time; it is on line {line} too", quoted(&key));
            let expected = "write each key of a map once".to_owned();
            self.faults.push(mark, "yaml.duplicate_key", &path, found, expected);
        } else {
            let found = "a list or a map stands where a key belongs".to_owned();
            self.fault(mark, "yaml.key_not_scalar", found, "write a plain key; quote one that begins with `[` or `{`");
        }
    }

    fn spend(&mut self, mark: Mark, nodes: usize) -> Result<(), Stop> {
        self.spent += nodes;
        if self.spent <= MAX_NODES {
            return Ok(());
        }
        let found = format!("the file stands for more than {MAX_NODES} values, counting what aliases repeat");
        self.fault(mark, "yaml.too_many_values", found, "write fewer rules, or fewer aliases of large values");
        Err(Stop)
    }

    /// Refuses what would reach `levels` below the collections that are open.
    fn check_depth(&mut self, mark: Mark, levels: usize) -> Result<(), Stop> {
        if self.open.len() + levels <= MAX_DEPTH {
            return Ok(());
        }
        self.refuse_depth(mark);
        Err(Stop)
    }

    fn refuse_depth(&mut self, mark: Mark) {
        let found = format!("lists and maps are nested more than {MAX_DEPTH} deep");
        // The path would be as long as the nesting is deep, and says nothing more.
        self.faults.push(mark, "yaml.too_deep", "", found, "nest no deeper than a rule does".to_owned());
    }

    fn refuse_tag(&mut self, mark: Mark, tagged: bool) {
        if tagged {
            let expected = "leave the tag out: a value is read as its key requires";
            self.fault(mark, "yaml.tag", "the value has a YAML tag".to_owned(), expected);
        }
    }

    fn refuse_syntax(&mut self, error: &ScanError) -> Result<(), Stop> {
        let mark = mark(*error.marker());
        let info = error.info();
        // The scanner has a depth of its own, which it may reach before the first event comes.
        if info.contains("recursion limit") {
            self.refuse_depth(mark);
            return Err(Stop);
        }
        let says = |word: &str| info.split(|c: char| !c.is_alphabetic()).any(|part| part == word);
        let expected = if says("tab") || says("tabs") {
            "indent with spaces; YAML allows no tabs there"
        } else if says("anchor") {
            "define the anchor with `&name` before the alias `*name`; quote a text that begins with `&` or `*`"
        } else {
            "write valid YAML: mind indentation and closing brackets, and quote a text that holds `: ` or ` #` or begins \
             with a special character"
        };
        // The parser takes the end of a text for a line of its own.
        let mark = mark.min(Mark::behind(self.text));
        self.fault(mark, "yaml.syntax", format!("this is not YAML: {info}"), expected);
        Err(Stop)
    }

    fn fault(&mut self, mark: Mark, code: &'static str, found: String, expected: &str) {
        let path = self.path();
        self.faults.push(mark, code, &path, found, expected.to_owned());
    }

    /// The path to what is being read.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.content {
                // Writing to a String cannot fail.
                OpenContent::List(items) => drop(write!(path, "[{}]", items.len())),
                OpenContent::Map { key: Key::Read(key, _), .. } => push_key(&mut path, key),
                OpenContent::Map { .. } => {}
            }
        }
        path
    }
}
