package io.despina.asking;

import io.despina.connect.ReaderHost;
import io.despina.connect.Records;
import io.despina.operator.Retries;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** The source around a reader: takes what it gives, and moves its clock when it would sleep. */
final class FakeHost implements ReaderHost {
    private static final long MOST_SECONDS = 20;

    final BlockingQueue<Object> given = new LinkedBlockingQueue<>();
    final List<String> warnings = new ArrayList<>();
    /** Milliseconds of each sleep. */
    final List<Long> slept = new ArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean full;
    /** After so many sleeps of the reader's thread it is interrupted. */
    int sleeps = Integer.MAX_VALUE;

    AskingClock clock() {
        return new AskingClock(now::get, () -> 1_000_000L + now.get() / 1000, new Retries.Waiting(this::sleep,
                RandomGenerator.of("L64X128MixRandom")));
    }

    private void sleep(long nanos) throws InterruptedException {
        synchronized (slept) {
            slept.add(TimeUnit.NANOSECONDS.toMillis(nanos));
            if (slept.size() > sleeps) {
                given.add("asleep");
                throw new InterruptedException();
            }
        }
        now.addAndGet(nanos);
    }

    /** What comes next: records, or why the reader failed, or that it sleeps. */
    Object next() throws InterruptedException {
        Object next = given.poll(MOST_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing comes from the reader");
        }
        return next;
    }

    /** The values of what comes next, each followed by its problem if it has one. */
    List<String> values() throws InterruptedException {
        return values((Records) taken(next()));
    }

    static List<String> values(Records records) {
        List<String> values = new ArrayList<>();
        while (records.next()) {
            values.add(value(records));
        }
        return values;
    }

    static String value(Records at) {
        String text = new String(at.value(), at.from(), at.to() - at.from(), StandardCharsets.UTF_8);
        return at.problem() == null ? text : text + " | " + at.problem();
    }

    private static Object taken(Object next) {
        if (next instanceof Exception failed) {
            throw new AssertionError(failed);
        }
        return next;
    }

    Exception failure() throws InterruptedException {
        Object next = next();
        while (next instanceof Records) {
            next = next();
        }
        return (Exception) next;
    }

    synchronized void full(boolean on) {
        full = on;
        if (!on) {
            waiting.forEach(Runnable::run);
            waiting.clear();
        }
    }

    @Override
    public void put(Records records) {
        given.add(records);
    }

    @Override
    public void failed(Exception why) {
        given.add(why);
    }

    @Override
    public String operator() {
        return "asked";
    }

    @Override
    public int instance() {
        return 0;
    }

    @Override
    public int parallelism() {
        return 1;
    }

    @Override
    public synchronized boolean hasRoom() {
        return !full;
    }

    @Override
    public synchronized void whenRoom(Runnable resume) {
        if (full) {
            waiting.add(resume);
            given.add("waits");
        } else {
            resume.run();
        }
    }

    @Override
    public void warn(String what) {
        synchronized (warnings) {
            warnings.add(what);
        }
    }
}
