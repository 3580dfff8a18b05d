package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FeedTest {
    private static final Schema LINES = Schema.of(new Column("n", Type.Simple.BIGINT, false),
            new Column("line", Type.Simple.STRING, true));
    private static final String MEGABYTE = "x".repeat(1 << 20);

    private final List<Runnable> aside = new ArrayList<>();
    private final Feed feed = new Feed(Attempt.first("job"), new Feed.Of("source", "far", LINES), System::nanoTime,
            aside::add);
    private final FakeMember member = new FakeMember("far") {
        @Override
        public void send(Message message) {
            assertFalse(Thread.holdsLock(feed), "a member that is lost tells the job, which may wait for this lock");
            super.send(message);
        }
    };

    private static byte[] arrow(long from, long to, String line) {
        return Batches.stream(LINES, "UTC", LongStream.range(from, to).mapToObj(n -> Rows.row(n, line)).toList());
    }

    /** And does what that leaves aside. */
    private void start(FakeMember in) {
        feed.start(in);
        List.copyOf(aside).forEach(Runnable::run);
        aside.clear();
    }

    private List<Long> supplied() {
        return member.told.stream().map(m -> ((Message.Supply) m).packets())
                .flatMap(bytes -> Rows.decode(LINES, bytes, 0, bytes.length).stream()).map(row -> (Long) row.get(0)).toList();
    }

    @Test
    void rowsThatCameBeforeTheStartGoFirst() throws Exception {
        assertEquals(new Feed.Status(true, true), feed.feed(arrow(0, 3, "a"), 0));
        assertTrue(member.told.isEmpty());
        start(member);
        feed.feed(arrow(3, 5, "b"), 0);
        feed.end();
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), supplied());
        assertTrue(((Message.Supply) member.told.get(2)).last());
    }

    /** That one reads and writes the beats of all resources. */
    @Test
    void theThreadThatStartsItSendsNothing() throws Exception {
        feed.feed(arrow(0, 3, "a"), 0);
        feed.start(member);
        assertTrue(member.told.isEmpty());
        aside.forEach(Runnable::run);
        assertEquals(List.of(0L, 1L, 2L), supplied());
    }

    @Test
    void rowsTravelInPieces() throws Exception {
        start(member);
        feed.feed(arrow(0, 10_000, "x".repeat(100)), 0);
        assertTrue(member.told.size() > 3, member.told.size() + " pieces");
        assertEquals(LongStream.range(0, 10_000).boxed().toList(), supplied());
    }

    @Test
    void pythonWaitsWhileTooMuchIsOnTheWay() throws Exception {
        start(member);
        feed.feed(arrow(0, 4, MEGABYTE), 0);
        assertEquals(new Feed.Status(false, true), feed.feed(new byte[0], 0));
        Thread waits = new Thread(() -> {
            try {
                assertEquals(new Feed.Status(true, true), feed.feed(new byte[0], 60_000));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        waits.start();
        while (waits.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        feed.supplied(1);
        waits.join();
        assertEquals(new Feed.Status(true, true), feed.feed(new byte[0], 0));
    }

    @Test
    void theNextAttemptGetsWhatTheOneBeforeDidNotTake() throws Exception {
        start(member);
        feed.feed(arrow(0, 2, "a"), 0);
        feed.feed(arrow(2, 5, "b"), 0);
        feed.supplied(2);
        feed.goOn(Attempt.first("job").next(), "near");
        feed.feed(arrow(5, 6, "c"), 0);
        feed.end();
        assertEquals("near", feed.resource());
        member.told.clear();
        start(member);
        assertEquals(List.of(2L, 3L, 4L, 5L), supplied());
        assertEquals(List.of(2L, 5L, 6L), member.told.stream().map(m -> ((Message.Supply) m).first()).toList());
        assertTrue(member.told.stream().allMatch(m -> ((Message.Supply) m).attempt().number() == 2));
    }

    @Test
    void aProgramThatStartsOverLearnsWhatIsInAndNeedNotGiveItAgain() throws Exception {
        assertEquals(-1, feed.taken(false, 0));
        start(member);
        feed.supplied(3);
        assertEquals(3, feed.taken(false, 0));
        feed.feed(arrow(0, 2, "a"), 0);
        feed.feed(arrow(2, 5, "b"), 0);
        assertEquals(List.of(2L, 3L, 4L), supplied());
        assertEquals(2, ((Message.Supply) member.told.get(0)).first());
    }

    @Test
    void aProgramMayFollowWhatIsIn() throws Exception {
        start(member);
        feed.supplied(3);
        assertEquals(3, feed.taken(true, 0));
        feed.feed(arrow(3, 5, "a"), 0);
        assertEquals(List.of(3L, 4L), supplied());
        assertEquals(3, ((Message.Supply) member.told.get(0)).first());
        assertEquals(2, ((Message.Supply) member.told.get(0)).rows());
    }

    @Test
    void afterTheEndOfTheJobNothingIsTaken() throws Exception {
        start(member);
        feed.feed(arrow(0, 5, MEGABYTE), 0);
        int before = member.told.size();
        feed.close();
        assertFalse(feed.feed(arrow(5, 6, "a"), 60_000).open());
        feed.end();
        assertEquals(before, member.told.size());
    }
}
