package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of two starts on one state folder the second hears of the first. */
class FolderHoldTest {
    private static final long NOW = 1_000_000;
    private static final long MS = 1_000_000;
    private static final FolderPaths PATHS = new FolderPaths("g");

    @TempDir
    Path root;

    private long modified = NOW;
    private boolean away;

    private Holder self(String coordinator) {
        return new Holder(coordinator, "host-" + coordinator, 7, 5, 0);
    }

    private FolderHold locking(String coordinator) {
        return locking(self(coordinator));
    }

    private FolderHold locking(Holder self) {
        return new FolderHold(new LocalStore(root), PATHS, self);
    }

    /** One that has the lease. */
    private FolderHold first() throws IOException {
        FolderHold first = leasing("a");
        first.look(0);
        assertNull(first.renew(0));
        return first;
    }

    private FolderHold leasing(String coordinator) {
        return new FolderHold(new Failing(new LocalStore(root)) {
            @Override
            public long modifiedMillis(String path) throws IOException {
                if (away) {
                    throw new IOException("nobody answers");
                }
                return super.modifiedMillis(path);
            }

            @Override
            public Closeable lock(String path, byte[] content) {
                throw new UnsupportedOperationException("no locks");
            }

            @Override
            public void replace(String path, byte[] content) throws IOException {
                super.replace(path, content);
                Files.setLastModifiedTime(root.resolve(path), FileTime.fromMillis(modified));
            }
        }, PATHS, self(coordinator));
    }

    @Test
    void aLockIsHeldUntilItIsLetGo() throws IOException {
        FolderHold first = locking("a");
        FolderHold second = locking("b");
        assertNull(first.look(0));
        assertNull(first.look(0));
        first.renew(0);
        assertFalse(first.isLease());
        Holder holder = second.look(0);
        assertEquals("process 7 on host-a", holder.words());
        assertTrue(holder.isAlive());
        first.close();
        assertNull(second.look(0));
        second.close();
        second.close();
    }

    @Test
    void aLockWhoseHolderSaysNothingIsALock() throws IOException {
        FolderHold first = locking("a");
        assertNull(first.look(0));
        Files.write(root.resolve("g/lock"), new byte[0]);
        assertEquals("process 0 on this machine", locking("b").look(0).words());
        first.close();
    }

    @ParameterizedTest
    @CsvSource({"host-a, 7", "host-b, 8"})
    void aLockOfTheSameProcessOrOfAnotherMachineIsNotWaitedFor(String host, long pid) throws IOException {
        FolderHold first = locking("a");
        assertNull(first.look(0));
        FolderHold second = locking(new Holder("b", host, pid, 5, 0));
        assertTrue(second.watch(() -> 0, () -> fail("it stays")).isAlive());
        first.close();
    }

    @Test
    void aProcessOfThisMachineMayTakeSomeSecondsToEnd() throws IOException {
        FolderHold first = locking("a");
        assertNull(first.look(0));
        long[] now = {0};
        FolderHold second = locking(new Holder("b", "host-a", 8, 5, 0));
        assertTrue(second.watch(() -> now[0], () -> now[0] += 250 * MS).isAlive());
        assertEquals(5_000 * MS, now[0]);
        now[0] = 0;
        assertNull(second.watch(() -> now[0], () -> {
            now[0] += 250 * MS;
            if (now[0] == 1_000 * MS) {
                first.close();
            }
        }));
        assertEquals(1_000 * MS, now[0]);
        second.close();
    }

    @Test
    void aLeaseThatIsRenewedIsAlive() throws IOException {
        FolderHold first = leasing("a");
        assertNull(first.look(0));
        assertTrue(first.isLease());
        first.renew(0);
        FolderHold second = leasing("b");
        assertEquals(new Holder("a", "host-a", 7, 5, 5_000), second.look(7));
        Holder holder = second.look(7 + 2_000 * MS);
        assertEquals(new Holder("a", "host-a", 7, 5, 3_000), holder);
        assertTrue(holder.isAlive());
        assertEquals(3_000, holder.againMillis());
        modified++;
        first.renew(0);
        assertEquals(5_000, second.look(7 + 4_999 * MS).leaseMillis());
        assertNull(leasing("a").look(0));
    }

    @Test
    void aLeaseThatIsNotRenewedEnds() throws IOException {
        FolderHold first = first();
        modified -= 3_600_000;      // whatever the clock of the file system says
        FolderHold second = leasing("b");
        assertTrue(second.look(0).isAlive());
        assertTrue(second.look(4_999 * MS).isAlive());
        assertFalse(second.look(5_000 * MS).isAlive());
    }

    /** Who holds it could not renew it either, and may come back some seconds later. */
    @Test
    void aLeaseThatCouldNotBeLookedAtCountsAnewAndLonger() throws IOException {
        FolderHold first = first();
        FolderHold second = leasing("b");
        assertTrue(second.look(0).isAlive());
        away = true;
        assertThrows(IOException.class, () -> second.look(60_000 * MS));
        away = false;
        assertTrue(second.look(61_000 * MS).isAlive());
        assertTrue(second.look(70_999 * MS).isAlive());
        assertFalse(second.look(71_000 * MS).isAlive());
    }

    @Test
    void aLeaseIsWatchedUntilItIsRenewedOrHasEnded() throws IOException {
        FolderHold first = first();
        long[] now = {0};
        assertFalse(leasing("b").watch(() -> now[0], () -> now[0] += 250 * MS).isAlive());
        assertEquals(5_000 * MS, now[0]);
        now[0] = 0;
        FolderHold.BetweenLooks renewedOnce = () -> {
            now[0] += 250 * MS;
            if (now[0] == 1_000 * MS) {
                modified++;
                first.renew(0);
            }
        };
        assertTrue(leasing("b").watch(() -> now[0], renewedOnce).isAlive());
        assertEquals(1_000 * MS, now[0]);
    }

    @Test
    void aLeaseIsLetGo() throws IOException {
        FolderHold first = first();
        first.close();
        assertNull(leasing("b").look(0));
    }

    @Test
    void aLeaseThatAnotherHasTakenIsLeftAlone() throws IOException {
        FolderHold first = first();
        FolderHold second = leasing("b");
        second.look(0);
        assertFalse(second.look(6_000 * MS).isAlive());
        second.renew(6_000 * MS);
        first.close();
        assertEquals("process 7 on host-b", leasing("c").look(0).words());
    }

    /** It was held up. */
    @Test
    void whoHasLostTheLeaseTakesItNotBackFromAnotherWhoRenewsIt() throws IOException {
        FolderHold first = first();
        FolderHold second = leasing("b");
        second.look(0);
        modified++;
        assertNull(second.renew(6_000 * MS));
        assertEquals("process 7 on host-b", first.renew(6_001 * MS).words());
        assertEquals("process 7 on host-b", first.look(6_002 * MS).words());
        modified++;
        assertNull(second.renew(7_000 * MS));
        assertEquals("process 7 on host-b", first.renew(11_500 * MS).words());
        assertNull(first.renew(16_500 * MS));
        assertNull(first.look(16_500 * MS));
        assertFalse(second.isOwn());
        assertEquals("process 7 on host-a", second.renew(16_501 * MS).words());
    }

    @Test
    void whoHasClaimedTheJobHasTheLease() throws IOException {
        FolderHold first = first();
        FolderHold second = leasing("b");
        assertTrue(second.look(1).isAlive());
        second.seize();
        assertTrue(second.isOwn());
        assertEquals("process 7 on host-b", first.renew(2).words());
    }

    @Test
    void aLeaseThatIsGivenBackLastsOnForTheOneWhoHadItBefore() throws IOException {
        FolderHold first = first();
        FolderHold second = leasing("b");
        second.look(0);
        second.renew(6_000 * MS);
        second.giveBack();
        assertTrue(second.isOwn());
        FolderHold third = leasing("c");
        assertTrue(third.look(6_001 * MS).isAlive());
        assertTrue(third.renew(6_002 * MS).isAlive());
        assertNull(first.renew(6_003 * MS));
        assertFalse(second.isOwn());
        second.close();
        assertEquals("process 7 on host-a", third.look(6_004 * MS).words());
    }

    @Test
    void aLeaseThatIsGivenBackEndsIfNobodyTakesIt() throws IOException {
        FolderHold first = first();
        first.giveBack();
        FolderHold second = leasing("b");
        assertTrue(second.look(0).isAlive());
        assertFalse(second.look(5_000 * MS).isAlive());
        first.close();
        assertNull(second.look(5_001 * MS));
    }
}
