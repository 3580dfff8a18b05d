package io.despina.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A log under processes that are killed, machines that lose their power, and zombies, in random lives. More of them:
 * {@code DESPINA_EVERY_CASE=1}, or -Ddespina.seeds=1000.
 */
class LogCrashTest {
    private static final int SEEDS = Integer.getInteger("despina.seeds", System.getenv("DESPINA_EVERY_CASE") == null ? 200 : 400);
    private static final int ATTEMPTS = 4;
    private static final int STEPS = 60;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** What was appended, by number, in the latest attempt's view. */
    private final List<byte[]> appended = new ArrayList<>();
    /** Everything before it was promised to be durable. */
    private long promised;
    private long cut;
    private Life latest;

    @Test
    void whatIsDurableOutlivesEveryCrash() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                appended.clear();
                promised = 0;
                cut = 0;
                live(new Random(seed));
            } catch (IOException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private void live(Random random) throws IOException {
        TornDisk disk = new TornDisk();
        Life zombie = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Life life = new Life(disk, attempt);
            while (appended.size() > life.log.next()) {
                appended.remove(appended.size() - 1);
            }
            check(life.log);
            for (int k = 0; k < STEPS; k++) {
                life.step(random);
                if (zombie != null) {
                    zombie.step(random);
                }
            }
            boolean power = random.nextBoolean();
            if (power) {
                disk.losePower(random);
            }
            zombie = !power && random.nextBoolean() ? life : null;
        }
    }

    private void check(Log log) throws IOException {
        assertTrue(log.next() >= promised, () -> "promised " + promised + ", found " + log.next());
        assertEquals(Math.max(appended.size(), cut), log.next());
        long number = cut;
        try (LogReader reader = log.reader(cut)) {
            while (reader.next()) {
                byte[] content = new byte[reader.to() - reader.from()];
                System.arraycopy(reader.bytes(), reader.from(), content, 0, content.length);
                assertEquals(number, reader.number());
                assertArrayEquals(appended.get((int) number), content);
                number++;
            }
        }
        assertEquals(log.next(), number);
    }

    /** One process that has the log. */
    private final class Life {
        private final CrankedThreads threads = new CrankedThreads();
        private final int attempt;
        private final Log log;
        private final List<byte[]> own;

        Life(TornDisk disk, int attempt) throws IOException {
            this.attempt = attempt;
            log = Log.open(new LogPlace(disk, attempt, threads, "a test"), new LogOptions(1 << 20, 400, 1_000),
                    LogRange.from(cut), new Owner());
            own = new ArrayList<>(appended.subList(0, (int) Math.min(appended.size(), log.next())));
            latest = this;
        }

        void step(Random random) throws IOException {
            switch (random.nextInt(6)) {
                case 0, 1 -> append(random);
                case 2 -> threads.advance(random.nextInt(2_000));
                case 3 -> threads.advance(random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(60)));
                case 4 -> {
                    log.turn();
                    if (latest == this && random.nextInt(4) == 0 && log.durable() > cut) {
                        cut += random.nextInt((int) (log.durable() - cut) + 1);
                        log.cut(cut);
                    }
                }
                default -> threads.runOne(random);
            }
        }

        private void append(Random random) throws IOException {
            byte[] content = new byte[random.nextInt(90)];
            random.nextBytes(content);
            try {
                long item = log.append(NOTHING, ByteBuffer.wrap(content), 1);
                if (item == Log.FULL) {
                    return;
                }
                assertEquals(own.size(), item);
            } catch (IOException fenced) {
                assertTrue(latest != this && fenced.getCause() instanceof FencedLogException, fenced.getMessage());
                return;
            }
            own.add(content);
            long number = own.size();
            if (latest == this) {
                appended.add(content);
            }
            if (random.nextBoolean()) {
                log.whenDurable(number, failure -> {
                    if (failure == null) {
                        promise(number, content);
                    }
                });
            }
        }

        private void promise(long number, byte[] content) {
            assertTrue(appended.size() >= number && appended.get((int) number - 1) == content,
                    () -> "attempt " + attempt + " promised item " + (number - 1) + " which its successor does not have");
            promised = Math.max(promised, number);
        }
    }

    private static final class Owner implements LogOwner {
        @Override
        public void room() {
            // there always is
        }

        @Override
        public void warn(String words) {
            throw new AssertionError(words);
        }
    }
}
