//! Where the ends of a channel of lanes wait.

use std::panic::Location;

use crate::channel::hub::Hub;
use crate::channel::{ChannelKind, WaitingFor};
use crate::sync::Arc;
use crate::wait::WaitSite;

/// Where an end waits. All ends have the hub in common.
pub(super) fn site<T>(
    hub: &Arc<Hub<T>>,
    waiting_for: WaitingFor,
    location: &'static Location<'static>,
) -> WaitSite {
    WaitSite::new(ChannelKind::Lanes, Arc::as_ptr(hub), waiting_for, location)
}
