package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.members.Environment;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.Holder;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KeptEpochsTest {
    /** Set before the store is asked to delete something. */
    private boolean lost;

    @Test
    void anAttemptEndsThoughItsLeaseCannotBeGivenBack() throws IOException {
        StateFolder folder = StateFolder.at(new FakeStore() {
            @Override
            protected void change(String path) throws IOException {
                if (lost) {
                    throw new IOException("the network is down");
                }
            }
        }, "g");
        FolderHold hold = new FolderHold(folder.store(), folder.paths(), new Holder("c", "here", 1, 0, 0));
        hold.look(0);
        HandTimer timer = new HandTimer();
        List<Runnable> aside = new ArrayList<>();
        HeldFolder held = new HeldFolder(hold, new Environment(() -> 0, () -> 0, timer, aside::add, null));
        held.take();
        KeptEpochs kept = new KeptEpochs(folder, new KeptEpochs.Begin(1, 1000, null, null, 0,
                KeptEpochs.Changed.NOTHING, held, List.of()), null,
                Map.of());
        lost = true;
        assertTrue(hold.isLease());
        CompletableFuture<Void> released = kept.release();
        assertFalse(released.isDone(), "the attempt's lock is held: nothing may wait for a disk");
        aside.remove(0).run();
        assertTrue(released.isDone() && !released.isCompletedExceptionally());
    }

    /** However long an epoch takes. */
    @Test
    void aLeaseIsRenewedFiveTimesWhileItLastsUntilItIsReleased() throws IOException {
        FakeStore store = new FakeStore();
        FolderPaths paths = StateFolder.at(store, "g").paths();
        FolderHold hold = new FolderHold(store, paths, new Holder("c", "here", 1, 0, 0));
        HandTimer timer = new HandTimer();
        List<Runnable> aside = new ArrayList<>();
        HeldFolder held = new HeldFolder(hold, new Environment(() -> 0, () -> 0, timer, aside::add, null));
        assertNull(held.look());
        held.take();
        FolderHold other = new FolderHold(store, paths, new Holder("d", "there", 1, 0, 0));
        for (int k = 0; k < 20; k++) {
            assertEquals(1_000, timer.nextDelay());
            timer.runNext();
            assertEquals(0, timer.waiting(), "a disk that is slow has one renewal at a time");
            store.nowMillis++;
            aside.remove(0).run();
            assertTrue(other.look(k * 1_000_000_000L).isAlive());
        }
        held.release();
        aside.remove(0).run();
        assertEquals(0, timer.waiting());
        assertNull(other.look(0));
    }
}
