package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** A pin, over hours of a clock that is set by hand. */
class PinTest {
    private final Deque<FutureTask<?>> renewals = new ArrayDeque<>();
    private boolean fails;
    private final FakeStore store = new FakeStore() {
        @Override
        protected void change(String path) throws IOException {
            if (fails) {
                throw new IOException("read-only file system");
            }
        }
    };
    private final StateFolder folder = StateFolder.at(store, "g");

    private Pin pin(long epoch) {
        return folder.pin(epoch, (what, millis) -> {
            assertEquals(Pin.RENEW_MILLIS, millis);
            FutureTask<?> renewal = new FutureTask<>(what, null);
            renewals.add(renewal);
            return renewal;
        });
    }

    private Set<Long> after(int renewed) throws IOException {
        for (int k = 0; k < renewed; k++) {
            store.nowMillis += Pin.RENEW_MILLIS;
            renewals.remove().run();
        }
        return folder.pinned(store.nowMillis);
    }

    @Test
    void isRenewedUntilItIsClosed() throws IOException {
        Pin pin = pin(7);
        assertEquals(Set.of(7L), after(30));
        pin.close();
        assertEquals(Set.of(), folder.pinned(store.nowMillis));
        assertEquals(Set.of(), after(1), "one that is closed does not come back");
        assertTrue(renewals.isEmpty());
        pin.close();
    }

    @Test
    void ofAReaderThatHasDiedEndsByItself() throws IOException {
        pin(7);
        assertEquals(Set.of(7L), after(1));
        assertEquals(Set.of(7L), folder.pinned(store.nowMillis + Pin.MILLIS - 1));
        assertEquals(Set.of(), folder.pinned(store.nowMillis + Pin.MILLIS));
    }

    @Test
    void thatCannotBeRenewedIsTriedAgain() throws IOException {
        pin(7);
        fails = true;
        assertEquals(Set.of(7L), after(9));
        fails = false;
        assertEquals(Set.of(7L), after(30));
    }

    @Test
    void whereNothingCanBeWrittenIsNone() throws IOException {
        fails = true;
        pin(7).close();
        assertTrue(renewals.isEmpty());
        assertEquals(Set.of(), folder.pinned(0));
    }
}
