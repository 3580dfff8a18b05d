import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What a program does by hand with Kafka's client: fills a topic, reads it, counts by window and key into another one, or hands
 * records on to it as they come.
 */
public final class KafkaLoop {
    private static final int KEYS = 1000;
    private static final int BYTES = 100;
    /** Records a millisecond of event time. */
    private static final int PER_MS = 100;
    /** Characters of a time up to its seconds. */
    private static final int SECOND = 19;

    private KafkaLoop() {
    }

    public static void main(String[] arguments) throws Exception {
        String servers = arguments[1];
        switch (arguments[0]) {
            case "fill" -> fill(servers, arguments[2], Long.parseLong(arguments[3]));
            case "read" -> tell(read(servers, arguments[2], Long.parseLong(arguments[3]), Long.parseLong(arguments[4])));
            case "forward" -> forward(servers, arguments[2]);
            case "pace" -> KafkaPace.measure(new KafkaPace.Pace(arguments[2], Integer.parseInt(arguments[3]),
                    Double.parseDouble(arguments[4]), Double.parseDouble(arguments[5])), consumer(servers, arguments[2] + ".out"),
                    producer(servers));
            default -> tell(count(servers, arguments[2], Long.parseLong(arguments[3]), Long.parseLong(arguments[4])));
        }
    }

    /** When those that count began: wall clock and processor time of this JVM, in nanoseconds. */
    private record Mark(long wall, long cpu) {
        static Mark now() {
            return new Mark(System.nanoTime(), ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos());
        }
    }

    /** What counted: records a second, and processor time in seconds for a million of them. */
    private record Rate(double perSecond, double cpuSecondsPerMillion) {
        static Rate since(Mark start, long records) {
            Mark end = Mark.now();
            return new Rate(records / ((end.wall - start.wall) / 1e9), (end.cpu - start.cpu) / 1e9 / (records / 1e6));
        }
    }

    private static void tell(Rate rate) {
        System.out.println(rate.perSecond + " " + rate.cpuSecondsPerMillion);
    }

    private static Properties properties(String servers) {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", servers);
        return properties;
    }

    /** Lines of csv: a time, a key, and letters up to 100 bytes. */
    private static void fill(String servers, String topic, long count) {
        Properties properties = properties(servers);
        properties.setProperty("batch.size", "131072");
        properties.setProperty("linger.ms", "20");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, new ByteArraySerializer(),
                new ByteArraySerializer())) {
            String time = "";
            for (long k = 0; k < count; k++) {
                if (k % PER_MS == 0) {
                    time = String.format("2026-11-28T%02d:%02d:%02d.%03dZ", k / PER_MS / 3_600_000, k / PER_MS / 60_000 % 60,
                            k / PER_MS / 1000 % 60, k / PER_MS % 1000);
                }
                String head = time + ",d" + k * 2_654_435_761L % KEYS + ",";
                producer.send(new ProducerRecord<>(topic, (head + "x".repeat(BYTES - head.length()))
                        .getBytes(StandardCharsets.US_ASCII)));
            }
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(String servers) {
        return new KafkaProducer<>(properties(servers), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Until it is killed. */
    private static void forward(String servers, String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(servers, topic);
                KafkaProducer<byte[], byte[]> producer = producer(servers)) {
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    producer.send(new ProducerRecord<>(topic + ".out", record.value()));
                }
            }
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String servers, String topic) {
        Properties properties = properties(servers);
        properties.setProperty("isolation.level", "read_committed");
        properties.setProperty("max.poll.records", "2000");
        properties.setProperty("fetch.max.bytes", "8388608");
        properties.setProperty("max.partition.fetch.bytes", "8388608");
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> all = consumer.partitionsFor(topic).stream().map(each -> new TopicPartition(topic, each.partition()))
                .toList();
        consumer.assign(all);
        consumer.seekToBeginning(all);
        return consumer;
    }

    /** Only their lengths are looked at. @param first the number of the first record that counts */
    private static Rate read(String servers, String topic, long most, long first) {
        long bytes = 0;
        long records = 0;
        Mark start = null;
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(servers, topic)) {
            while (records < most) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    start = records == first ? Mark.now() : start;
                    bytes += record.value().length;
                    records++;
                }
            }
            if (bytes != records * BYTES) {
                throw new IllegalStateException("records of other lengths");
            }
            return Rate.since(start, records - first);
        }
    }

    /** The same, where each record's time and key are read, and each second of event time a count by key is written. */
    private static Rate count(String servers, String topic, long most, long first) {
        long records = 0;
        Mark start = null;
        String window = "";
        Map<String, Long> counts = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(servers, topic);
                KafkaProducer<byte[], byte[]> producer = producer(servers)) {
            while (records < most) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    start = records == first ? Mark.now() : start;
                    String[] cells = new String(record.value(), StandardCharsets.US_ASCII).split(",", 3);
                    String second = cells[0].substring(0, SECOND);
                    if (second.compareTo(window) > 0) {
                        write(counts, topic, producer);
                        window = second;
                    }
                    counts.merge(cells[1], 1L, Long::sum);
                    records++;
                }
            }
            producer.flush();
            return Rate.since(start, records - first);
        }
    }

    private static void write(Map<String, Long> counts, String topic, KafkaProducer<byte[], byte[]> producer) {
        counts.forEach((key, count) -> producer.send(new ProducerRecord<>(topic + ".out", key.getBytes(StandardCharsets.US_ASCII),
                ("{\"k\":\"" + key + "\",\"n\":" + count + "}").getBytes(StandardCharsets.US_ASCII))));
        counts.clear();
    }
}
