import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes records at a fixed rate to a topic, and measures how old they are when they come out of another one. */
final class KafkaPace {
    private static final int BYTES = 100;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long UNMEASURED = -1;

    /** Records a second, and for how long they do not count, and do. */
    record Pace(String topic, int perSecond, double warmUpSeconds, double seconds) {
        private long records() {
            return Math.round(perSecond * (warmUpSeconds + seconds));
        }

        private long unmeasured() {
            return Math.round(perSecond * warmUpSeconds);
        }
    }

    private KafkaPace() {
    }

    /** Prints the middle, the 99th and the 99.9th percentile of the milliseconds from when a record was due. */
    static void measure(Pace pace, KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer)
            throws InterruptedException {
        try (consumer; producer) {
            awaitForwarding(pace, consumer, producer);
            Thread writing = new Thread(() -> write(pace, producer));
            writing.start();
            long[] took = new long[Math.toIntExact(pace.records() - pace.unmeasured())];
            int count = 0;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos((long) (pace.warmUpSeconds() + pace.seconds()))
                    + PATIENCE_NANOS;
            while (count < took.length && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    long due = ByteBuffer.wrap(record.value()).getLong();
                    if (due != UNMEASURED) {
                        took[count++] = System.nanoTime() - due;
                    }
                }
            }
            writing.join();
            if (count < took.length) {
                throw new IllegalStateException("of " + took.length + " records " + count + " came");
            }
            Arrays.sort(took);
            System.out.printf(Locale.ROOT, "%f %f %f%n", took[count / 2] / 1e6, took[(int) (count * 0.99)] / 1e6,
                    took[(int) (count * 0.999)] / 1e6);
        }
    }

    private static void awaitForwarding(Pace pace, KafkaConsumer<byte[], byte[]> consumer,
            KafkaProducer<byte[], byte[]> producer) {
        producer.send(new ProducerRecord<>(pace.topic(), value(UNMEASURED)));
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (consumer.poll(Duration.ofMillis(100)).isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("nobody hands records on");
            }
        }
    }

    private static byte[] value(long due) {
        return ByteBuffer.allocate(BYTES).putLong(due).array();
    }

    private static void write(Pace pace, KafkaProducer<byte[], byte[]> producer) {
        long start = System.nanoTime();
        for (long k = 0; k < pace.records(); k++) {
            long due = start + k * TimeUnit.SECONDS.toNanos(1) / pace.perSecond();
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(TICK_NANOS);
            }
            producer.send(new ProducerRecord<>(pace.topic(), value(k < pace.unmeasured() ? UNMEASURED : due)));
        }
    }
}
