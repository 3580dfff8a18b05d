package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ReaderHost;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Polls, and gives what comes to the host. While the host has no room, it goes on polling with all partitions paused, so that the
 * connection stays alive. From {@link #start} on, the consumer is this thread's.
 */
final class PollThread extends Thread {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration CLOSE = Duration.ofSeconds(2);
    /** No broker answers: after that it is told. */
    private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** What is asked between two polls holds them up for so long at most. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private final Consumer<byte[], byte[]> consumer;
    private final Starts starts;
    private final Map<TopicPartition, ReadPartition> partitions = new LinkedHashMap<>();
    private final boolean ends;
    /** Offsets that the group is to be told; any thread. */
    private final AtomicReference<Map<String, String>> toCommit = new AtomicReference<>();
    /** Written by the host's thread. */
    private volatile boolean stopped;
    private volatile boolean closed;
    private boolean paused;
    private long nextRefresh;
    private long silentSince;
    private boolean toldAway;
    private boolean toldCommit;
    private boolean toldGone;

    PollThread(ConnectorSettings settings, ReaderHost host, Consumer<byte[], byte[]> consumer, Starts starts) {
        super("despina-kafka-" + host.operator() + "-" + host.instance());
        setDaemon(true);
        this.settings = settings;
        this.host = host;
        this.consumer = consumer;
        this.starts = starts;
        ends = settings.text("stop_at").equals("end");
    }

    /** Before {@link #start}. */
    void add(ReadPartition partition) {
        partitions.put(partition.partition, partition);
    }

    /** From any thread. @param close whether the consumer is not needed any more */
    void end(boolean close) {
        stopped = true;
        closed |= close;
        consumer.wakeup();
        LockSupport.unpark(this);
    }

    /** From any thread: the group is told, soon. */
    void commit(Map<String, String> positions) {
        toCommit.set(positions);
    }

    @Override
    public void run() {
        try {
            setContextClassLoader(PollThread.class.getClassLoader());
            begin();
            while (!closed) {
                step();
            }
            commitAtTheEnd();
        } catch (Throwable e) {         // an Error too must end the job that waits for records
            if (!closed) {
                host.failed(KafkaWords.of(e, settings.text("bootstrap_servers"), settings.whole("connect_ms")));
            }
        } finally {
            close(consumer);
        }
    }

    void begin() {
        consumer.assign(partitions.keySet());
        partitions.forEach((partition, each) -> consumer.seek(partition, each.from));
        endThoseThatAreRead();
        nextRefresh = System.nanoTime() + refreshNanos();
        silentSince = System.nanoTime();
    }

    private long refreshNanos() {
        return TimeUnit.MILLISECONDS.toNanos(settings.whole("refresh_ms"));
    }

    /** What a wakeup or an absent broker cuts short comes again in a later step. */
    void step() throws Exception {
        try {
            commit();
            if (stopped || partitions.isEmpty()) {
                LockSupport.parkNanos(WAIT_NANOS);      // a consumer without partitions cannot poll
            } else {
                pauseOrResume();
                poll();
            }
            if (!stopped && !ends && System.nanoTime() - nextRefresh >= 0) {
                refresh();
            }
        } catch (WakeupException woken) {
            return;         // there is room, or the end
        } catch (RetriableException away) {
            LockSupport.parkNanos(WAIT_NANOS);
        }
    }

    /** Of the calls of the consumer only the poll may be cut short: what it has given is put as a whole. */
    private void poll() throws IOException {
        ConsumerRecords<byte[], byte[]> polled;
        try {
            polled = consumer.poll(POLL);
        } catch (OffsetOutOfRangeException gap) {
            skip(gap.offsetOutOfRangePartitions());         // a poll says so again until it has been skipped
            return;
        }
        give(polled);
    }

    private void pauseOrResume() {
        boolean full = !host.hasRoom();
        if (full == paused) {
            return;
        }
        paused = full;
        if (full) {
            consumer.pause(consumer.assignment());
            host.whenRoom(consumer::wakeup);
        } else {
            consumer.resume(partitions.values().stream().filter(each -> !each.ended).map(each -> each.partition).toList());
        }
    }

    /** Also of partitions where there was nothing but the ends of transactions, or records that nobody committed. */
    private void give(ConsumerRecords<byte[], byte[]> polled) {
        polled.nextOffsets().forEach((partition, next) -> {
            ReadPartition of = partitions.get(partition);
            if (!of.ended) {
                List<ConsumerRecord<byte[], byte[]>> records = polled.records(partition);
                put(of, ends ? toEnd(of, records) : records, ends ? Math.min(next.offset(), of.end) : next.offset());
            }
        });
        endThoseThatAreRead();
        watch(polled.isEmpty());
        tellHowFarBehind();
    }

    /** By what the last answers of the brokers said: nobody is asked for it. */
    private void tellHowFarBehind() {
        long records = 0;
        for (ReadPartition each : partitions.values()) {
            OptionalLong lag = each.ended ? OptionalLong.of(0) : consumer.currentLag(each.partition);
            if (lag.isEmpty()) {
                return;
            }
            records += lag.getAsLong();
        }
        host.behind(records);
    }

    private void put(ReadPartition of, List<ConsumerRecord<byte[], byte[]>> records, long behind) {
        if (!records.isEmpty() || behind != of.at) {
            of.at = behind;
            of.given |= !records.isEmpty();
            host.put(new TakenBatch(of, records, behind, false));
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> toEnd(ReadPartition of, List<ConsumerRecord<byte[], byte[]>> records) {
        int count = records.size();
        while (count > 0 && records.get(count - 1).offset() >= of.end) {
            count--;
        }
        return records.subList(0, count);
    }

    private void endThoseThatAreRead() {
        if (!ends) {
            return;
        }
        for (ReadPartition each : partitions.values()) {
            if (!each.ended && each.at >= each.end) {
                each.ended = true;
                consumer.pause(List.of(each.partition));
                host.put(new TakenBatch(each, List.of(), each.end, true));
            }
        }
    }

    /** Tells once that no broker answers, and once that one does again. */
    private void watch(boolean empty) {
        long now = System.nanoTime();
        if (!empty || connections() > 0) {
            silentSince = now;
            if (toldAway) {
                toldAway = false;
                host.warn("`" + host.operator() + "`: the brokers at " + settings.text("bootstrap_servers") + " answer again");
            }
        } else if (!toldAway && now - silentSince >= AWAY_NANOS) {
            toldAway = true;
            host.warn("`" + host.operator() + "`: no broker at " + settings.text("bootstrap_servers") + " answers; it waits");
        }
    }

    private double connections() {
        for (Map.Entry<MetricName, ? extends Metric> each : consumer.metrics().entrySet()) {
            if (each.getKey().name().equals("connection-count")) {
                return ((Number) each.getValue().metricValue()).doubleValue();
            }
        }
        return 1;
    }

    /** Takes partitions that the topics have got meanwhile, from their first record. */
    private void refresh() {
        Set<TopicPartition> own;
        Map<TopicPartition, Long> first;
        try {
            own = starts.own();
            own.removeAll(partitions.keySet());
            first = own.isEmpty() ? Map.of() : consumer.beginningOffsets(own, PATIENCE);
        } catch (WakeupException woken) {
            return;         // in the next step
        } catch (RetriableException away) {
            nextRefresh = System.nanoTime() + Math.min(refreshNanos(), AWAY_NANOS);
            return;
        } catch (IOException gone) {
            nextRefresh = System.nanoTime() + refreshNanos();
            if (!toldGone) {
                toldGone = true;
                host.warn("`" + host.operator() + "`: " + gone.getMessage() + "; it waits");
            }
            return;
        }
        nextRefresh = System.nanoTime() + refreshNanos();
        if (!own.isEmpty()) {
            take(own, first);
        }
    }

    private void take(Set<TopicPartition> own, Map<TopicPartition, Long> first) {
        own.forEach(each -> partitions.put(each, new ReadPartition(each, first.get(each), Long.MAX_VALUE)));
        consumer.assign(partitions.keySet());
        partitions.forEach((partition, each) -> consumer.seek(partition, each.at));
        if (paused) {
            consumer.pause(consumer.assignment());
        }
        host.warn("`" + host.operator() + "` reads " + own.size() + " new partitions: " + own);
    }

    private void skip(Map<TopicPartition, Long> gaps) throws IOException {
        Map<TopicPartition, Long> first = consumer.beginningOffsets(gaps.keySet(), PATIENCE);
        Map<TopicPartition, Long> end = consumer.endOffsets(gaps.keySet(), PATIENCE);
        for (Map.Entry<TopicPartition, Long> gap : gaps.entrySet()) {
            TopicPartition partition = gap.getKey();
            long behind = starts.behindGap(partition, gap.getValue(), first.get(partition), end.get(partition));
            consumer.seek(partition, behind);
            put(partitions.get(partition), List.of(), behind);
        }
    }

    private void commit() {
        Map<String, String> positions = stopped ? null : toCommit.getAndSet(null);
        if (positions == null) {
            return;     // once stopped, nothing is polled, and an answer would never come: the last offsets are told at the end
        }
        consumer.commitAsync(offsets(positions), (offsets, failure) -> {
            if (failure != null && !toldCommit) {
                toldCommit = true;
                host.warn("`" + host.operator() + "` cannot tell its offsets to the group `" + settings.text("group") + "`: "
                        + failure.getMessage() + "; the job does not need it");
            }
        });
    }

    private void commitAtTheEnd() {
        Map<String, String> positions = toCommit.getAndSet(null);
        if (positions == null) {
            return;
        }
        for (boolean again = true; again;) {
            again = false;
            try {
                consumer.commitSync(offsets(positions), CLOSE);
            } catch (WakeupException ofTheEnd) {
                again = true;
            } catch (RuntimeException nobodyNeedsIt) {
                host.warn("`" + host.operator() + "` cannot tell its last offsets to the group `" + settings.text("group")
                        + "`: " + nobodyNeedsIt.getMessage());
            }
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(Map<String, String> positions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        positions.forEach((name, position) ->
                offsets.put(ReadPartition.of(name), new OffsetAndMetadata(Long.parseLong(position))));
        return offsets;
    }

    static void close(Consumer<?, ?> consumer) {
        try {
            consumer.close(CloseOptions.timeout(CLOSE));
        } catch (RuntimeException leftOpen) {
            // nothing depends on it any more
        }
    }
}
