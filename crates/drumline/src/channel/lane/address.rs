//! The address of a lane in which a reader lies.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::Lane;
use super::traffic::Traffic;
use crate::sync::Arc;

/// Set in the address of traffic, and in no other one.
const TRAFFIC: usize = 1;

/// A reference to a lane. It is the address of the lane as long as there was no message, and that
/// of the traffic from then on: a receiver of many lanes that are not in its cache waits for one
/// line of memory less. The traffic says where the lane is.
pub(in crate::channel) struct LaneAddress<T>(NonNull<Lane<T>>);

// SAFETY: as an `Arc` of the lane.
unsafe impl<T: Send> Send for LaneAddress<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for LaneAddress<T> {}

impl<T> LaneAddress<T> {
    pub(in crate::channel) fn new(lane: Arc<Lane<T>>) -> Self {
        let lane = Arc::into_raw(lane).cast_mut();
        LaneAddress(NonNull::new(lane).expect("a lane has an address"))
    }

    pub(in crate::channel) fn into_lane(self) -> Arc<Lane<T>> {
        let lane = ManuallyDrop::new(self).lane_address();
        // SAFETY: it comes from `Arc::into_raw`, and this was the reference.
        unsafe { Arc::from_raw(lane) }
    }

    /// The traffic, if this has its address.
    #[inline(always)]
    fn traffic(&self) -> Option<&Traffic<T>> {
        let address = self.0.as_ptr();
        if address.addr() & TRAFFIC == 0 {
            return None;
        }
        let traffic = address.map_addr(|address| address & !TRAFFIC);
        // SAFETY: marked in `find_traffic`. It lives as long as the lane.
        Some(unsafe { &*traffic.cast::<Traffic<T>>() })
    }

    fn lane_address(&self) -> *const Lane<T> {
        let lane = self.0.as_ptr().cast_const();
        self.traffic().map_or(lane, Traffic::lane)
    }

    #[inline(always)]
    pub(in crate::channel) fn lane(&self) -> &Lane<T> {
        // SAFETY: this is a reference to it.
        unsafe { &*self.lane_address() }
    }

    /// Goes over to the address of the traffic, if there is some.
    #[cold]
    fn find_traffic(&mut self) -> Option<&Traffic<T>> {
        let lane = self.lane_address();
        let traffic = self.lane().traffic_address()?;
        // SAFETY: it lives as long as the lane.
        unsafe { traffic.as_ref() }.set_lane(lane);
        self.0 = traffic.cast().map_addr(|address| address | TRAFFIC);
        self.traffic()
    }

    /// As [`Lane::is_writer_lazy`].
    pub(in crate::channel) fn is_writer_lazy(&self) -> bool {
        match self.traffic() {
            Some(traffic) => traffic.messages().is_lazy(),
            None => self.lane().is_writer_lazy(),
        }
    }

    /// Takes the next message with the reader that lies in the lane, if there is one. Does not say
    /// why there is none.
    ///
    /// # Safety
    ///
    /// As for [`Lane::with_reader`].
    #[inline(always)]
    pub(in crate::channel) unsafe fn pop_further(&mut self) -> Option<T> {
        let traffic = match self.traffic() {
            Some(traffic) => traffic,
            None => self.find_traffic()?,
        };
        // SAFETY: the caller's obligation.
        unsafe { traffic.pop_further() }
    }

    /// Has the processor fetch what [`pop_further`](Self::pop_further) uses.
    #[inline(always)]
    pub(in crate::channel) fn prefetch(&self) {
        if let Some(traffic) = self.traffic() {
            traffic.prefetch();
        }
    }

    /// Has the processor fetch the next message.
    ///
    /// # Safety
    ///
    /// As for [`Lane::with_reader`].
    #[inline(always)]
    pub(in crate::channel) unsafe fn prefetch_message(&self) {
        if let Some(traffic) = self.traffic() {
            // SAFETY: the caller's obligation.
            traffic.with_reader(|reader| unsafe { (*reader).prefetch() });
        }
    }
}
