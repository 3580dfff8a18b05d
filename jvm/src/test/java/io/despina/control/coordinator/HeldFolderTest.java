package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.members.Environment;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lease while it is renewed, and what its user hears when it is not. */
class HeldFolderTest {
    private static final Logger LOGGER = Logger.getLogger(HeldFolder.class.getName());

    private boolean away;
    private final FakeStore store = new FakeStore() {
        @Override
        protected void change(String path) throws IOException {
            if (away) {
                throw new IOException("the registry does not answer");
            }
            nowMillis++;
        }
    };
    private final HandTimer timer = new HandTimer();
    private final List<Runnable> aside = new ArrayList<>();
    private final List<String> said = new ArrayList<>();
    private final HeldFolder held = new HeldFolder(hold("first", 12), new Environment(this::nanos, () -> 0, timer, aside::add,
            null));
    private final FolderHold other = hold("other", 13);
    private Level before;
    private final Handler hears = new Handler() {
        @Override
        public void publish(LogRecord words) {
            assertNull(words.getThrown(), "a stack trace is for nobody who runs a job");
            said.add(words.getMessage());
        }

        @Override
        public void flush() {
            return;
        }

        @Override
        public void close() {
            return;
        }
    };

    private FolderHold hold(String coordinator, long pid) {
        return new FolderHold(store, StateFolder.at(store, "g").paths(), new Holder(coordinator, "there", pid, 0, 0));
    }

    private long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(timer.millis());
    }

    @BeforeEach
    void isHeld() throws IOException {
        before = LOGGER.getLevel();
        LOGGER.setLevel(Level.ALL);
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(hears);
        assertNull(held.look());
        assertTrue(held.take());
    }

    @AfterEach
    void nobodyHears() {
        LOGGER.removeHandler(hears);
        LOGGER.setUseParentHandlers(true);
        LOGGER.setLevel(before);
    }

    private void renews(int times) {
        for (int k = 0; k < times; k++) {
            timer.runNext();
            aside.remove(0).run();
        }
    }

    /** Five times in five seconds it is tried. */
    @Test
    void whatLastsIsToldOnceAMinute() {
        renews(10);
        assertEquals(List.of(), said);
        away = true;
        renews(130);
        String words = "the lease of the state folder is not renewed: the registry does not answer";
        assertEquals(List.of(words, words, words), said);
        away = false;
        renews(10);
        assertEquals(List.of(words, words, words, "the lease of the state folder is renewed again"), said);
        away = true;
        renews(1);
        assertEquals(words, said.get(4));
    }

    /** As whoever stands by takes it from a coordinator that was held up. */
    @Test
    void aLeaseThatAnotherHasIsLeftToItUntilItLetsGo() throws IOException {
        other.look(nanos());
        timer.later(60_000);
        assertNull(other.renew(nanos()));
        renews(3);
        assertTrue(other.isOwn());
        assertEquals(List.of("the lease of the state folder is not renewed: process 13 on there has it, since it was not renewed"
                + " in time"), said);
        other.giveBack();
        renews(1);
        assertFalse(other.isOwn());
        assertNull(held.look());
        assertEquals("the lease of the state folder is renewed again", said.get(1));
    }

    /** Whatever another has seen before. */
    @Test
    void whoHasClaimedTheJobHasTheLeaseFromWhoeverHadIt() throws IOException {
        other.look(nanos());
        other.seize();
        assertFalse(held.take());
        held.seize();
        assertFalse(other.isOwn());
        renews(2);
        assertEquals(List.of(), said);
    }
}
