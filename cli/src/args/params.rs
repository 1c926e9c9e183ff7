//! Bound parameters on the command line.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::ffi::OsString;

const VALUE: &str = "param";
const NULL: &str = "param_null";

/// Bound parameters in the order in which they are given; none for NULL. Two options make one list, which no attribute of the
/// parser can say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(pub(crate) Vec<Option<OsString>>);

impl Args for Params {
    fn augment_args(command: Command) -> Command {
        let value = Arg::new(VALUE)
            .long("param")
            .value_name("VALUE")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_parser(value_parser!(OsString))
            .help("The next bound parameter, as a constant in its place would be written, without quotes; repeatable");
        let null = Arg::new(NULL)
            .long("param-null")
            .action(ArgAction::Append)
            .num_args(0)
            .default_missing_value("true")
            .value_parser(value_parser!(bool))
            .help("The next bound parameter is NULL; repeatable");
        command.arg(value).arg(null)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Params {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let places = |id| matches.indices_of(id).into_iter().flatten();
        let values = matches.get_many::<OsString>(VALUE).into_iter().flatten().cloned().map(Some);
        let mut params: Vec<_> = places(VALUE).zip(values).collect();
        params.extend(places(NULL).map(|place| (place, None)));
        params.sort_by_key(|(place, _)| *place);
        Ok(Self(params.into_iter().map(|(_, value)| value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
