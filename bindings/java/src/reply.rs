//! What a method returns that can fail: an array whose first byte is 0, and behind it what was asked for; or 1, and behind it the
//! codes of the faults with a space between two, a zero byte, and the message.

use crate::array;
use crate::error::Error;
use jni_sys::{JNIEnv, jbyteArray};

const DONE: u8 = 0;
const FAILED: u8 = 1;

/// What was asked for.
#[derive(Debug)]
pub(crate) enum Payload {
    Nothing,
    /// A handle or a version.
    Number(i64),
    Bytes(Vec<u8>),
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

/// # Safety
///
/// The environment is that of the calling thread.
pub(crate) unsafe fn write(env: *mut JNIEnv, result: Result<Payload, Error>) -> jbyteArray {
    // SAFETY: the caller's promise.
    let done = |payload: &[u8]| unsafe { array::write(env, [&[DONE], payload]) };
    match result {
        Ok(Payload::Nothing) => done(&[]),
        Ok(Payload::Number(number)) => done(&number.to_le_bytes()),
        Ok(Payload::Bytes(bytes)) => done(&bytes),
        Err(error) => {
            let said = format!("{}\0{}", error.codes.join(" "), error.message);
            // SAFETY: the caller's promise.
            unsafe { array::write(env, [&[FAILED], said.as_bytes()]) }
        }
    }
}
