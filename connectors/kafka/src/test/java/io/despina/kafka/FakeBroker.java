package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/** What producers talk to: it takes what they flush, but for some records. What waits behind one comes back too. */
final class FakeBroker {
    /** Why records of that value are not taken. */
    final Map<String, RuntimeException> bad = new HashMap<>();
    /** Why others of its batch come back. */
    RuntimeException beside;
    /** What a commit fails with, once. */
    RuntimeException onCommit;
    boolean commitsAnyway;
    final List<String> there = new ArrayList<>();
    int begun;
    int producers;

    Producer<byte[], byte[]> producer() {
        producers++;
        return new OfBroker();
    }

    /** Makes producers that talk to it. */
    Producers producers(ConnectorSettings settings) {
        return new Producers(settings, "test") {
            @Override
            void refuseMissing() {
                // it is there
            }

            @Override
            Producer<byte[], byte[]> made(String transactions) {
                return producer();
            }

            @Override
            boolean isMissing(String topic) {
                return topic.equals("missing");
            }
        };
    }

    /** Markers that are among the records: {@code m1}. */
    Markers markers(ConnectorSettings settings) {
        return new Markers(settings, "test") {
            @Override
            void ensure() {
                // it is there
            }

            @Override
            ProducerRecord<byte[], byte[]> record(String outbox, long epoch) {
                return new ProducerRecord<>("m", ("m" + epoch).getBytes(StandardCharsets.UTF_8));
            }

            @Override
            long last(String outbox) {
                return there.stream().filter(each -> each.matches("m\\d+"))
                        .mapToLong(each -> Long.parseLong(each.substring(1))).max().orElse(0);
            }
        };
    }

    private static String text(ProducerRecord<byte[], byte[]> record) {
        return record.value() == null ? "null" : new String(record.value(), StandardCharsets.UTF_8);
    }

    private record Waiting(ProducerRecord<byte[], byte[]> record, Callback told) {
    }

    private final class OfBroker extends MockProducer<byte[], byte[]> {
        private final List<Waiting> waiting = new ArrayList<>();
        private final List<String> written = new ArrayList<>();
        private RuntimeException error;
        private boolean inTransaction;

        @Override
        public void initTransactions() {
            inTransaction = false;
        }

        @Override
        public void beginTransaction() {
            begun++;
            inTransaction = true;
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback told) {
            if (error != null) {
                throw new KafkaException("a request has failed before", error);
            }
            waiting.add(new Waiting(record, told));
            return new CompletableFuture<>();
        }

        @Override
        public synchronized void flush() {
            boolean isBad = waiting.stream().anyMatch(each -> bad.containsKey(text(each.record)));
            for (Waiting each : List.copyOf(waiting)) {
                RuntimeException own = error == null ? bad.get(text(each.record)) : error;
                if (own == null && isBad && beside != null) {
                    own = beside;
                } else if (own != null && inTransaction) {
                    error = own;
                }
                if (own == null) {
                    written.add(text(each.record));
                }
                each.told.onCompletion(null, own);
            }
            waiting.clear();
            if (!inTransaction) {
                settle();
            }
        }

        private void settle() {
            there.addAll(written);
            written.clear();
        }

        @Override
        public void abortTransaction() {
            error = null;
            inTransaction = false;
            written.clear();
        }

        @Override
        public void commitTransaction() {
            RuntimeException failure = onCommit;
            onCommit = null;
            if (failure == null || commitsAnyway) {
                settle();
            }
            if (failure != null) {
                throw failure;
            }
            inTransaction = false;
        }

        @Override
        public void close(Duration timeout) {
            waiting.clear();
        }
    }
}
