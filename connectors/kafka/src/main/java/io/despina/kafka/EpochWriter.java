package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.RefusedException;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/**
 * Writes each epoch of an outbox in a transaction, with its marker. The outbox's name is the transactions' id: whoever takes it
 * over ends what was under way, and this writer can then do nothing more. A record that no broker takes undoes its transaction;
 * the epoch comes again without it. What is left out is handed on when the epoch is there, once.
 */
final class EpochWriter implements RecordWriter {
    private static final Duration CLOSE = Duration.ofSeconds(3);
    private static final long PAUSE_MS = 200;
    /** The number of a marker, which is no record of the epoch. */
    private static final long MARKER = -1;
    /** After so many in a row that are taken alone, the others that came back count as good too. */
    private static final int TAKEN = 3;

    /** A record that has not been taken; a good one may come back with a bad one. */
    private record Failed(long number, ProducerRecord<byte[], byte[]> record, Exception why) {
    }

    private record Refused(String why, byte[] value) {
    }

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final Producers producers;
    private final Markers markers;
    private Producer<byte[], byte[]> producer;
    private String outbox;
    /** The last epoch that is there. */
    private long committed;
    private long epoch;
    /** When the epoch that is tried was tried first. */
    private long since;
    private boolean inTransaction;
    /** The number of the next record in its epoch. */
    private long number;
    /** Why records of the epoch are left out, by number. */
    private final Map<Long, String> left = new HashMap<>();
    /** Why all records of a topic are, by its name. */
    private final Map<String, String> closed = new HashMap<>();
    /** What this try leaves out. */
    private final List<Refused> refused = new ArrayList<>();
    /** Of this try, in their order; the producer's thread adds them. */
    private final Queue<Failed> failures = new ConcurrentLinkedQueue<>();
    /** Whether another producer has taken over the transactions while this epoch was tried. */
    private boolean fenced;

    EpochWriter(ConnectorSettings settings, WriterHost host, Producers producers, Markers markers) {
        this.settings = settings;
        this.host = host;
        this.producers = producers;
        this.markers = markers;
    }

    /** Brokers that are away must not hold up the first epoch. */
    @Override
    public void open(boolean later) {
        // the name of the outbox is not known yet
    }

    @Override
    public Marker marker(String of, long asked) throws Exception {
        begun(of);
        if (asked < committed) {
            throw RefusedException.olderState(of + " of `" + host.operator() + "`", asked, "the topic `"
                    + settings.text("markers") + "` says that epoch " + committed + " is written");
        }
        if (asked > committed) {
            return Marker.ABSENT;
        }
        if (asked == epoch) {
            handOn();
        }
        return Marker.THERE;
    }

    private void handOn() {
        refused.forEach(each -> host.refused(each.why, each.value));
        refused.clear();
    }

    /** Has a producer whose earlier transactions have ended, and knows the last epoch that is there. */
    private void begun(String of) throws Exception {
        if (producer != null && of.equals(outbox)) {
            return;
        }
        outbox = of;
        producers.refuseMissing();
        markers.ensure();
        Producer<byte[], byte[]> made = producers.made(Producers.transactions(of));
        try {
            made.initTransactions();
            committed = markers.last(of);
        } catch (KafkaException | IOException e) {
            made.close(Duration.ZERO);
            throw e instanceof InterruptException ? interrupted(e) : KafkaWords.ofWriting(e, settings);
        }
        producer = made;
    }

    @Override
    public void begin(String of, long begins) throws Exception {
        begun(of);
        if (epoch != begins) {
            epoch = begins;
            since = System.nanoTime();
            fenced = false;
            left.clear();
            closed.clear();
        }
        number = 0;
        refused.clear();
        failures.clear();
        producer.beginTransaction();
        inTransaction = true;
    }

    @Override
    public void write(Outgoing row) throws Exception {
        check();
        ProducerRecord<byte[], byte[]> record = producers.record(row);
        long index = number++;
        String why = left.get(index);
        why = why == null ? closed.get(record.topic()) : why;
        why = why == null ? producers.refusal(record) : why;
        if (why == null) {
            send(index, record);
        } else if (host.failsOnRefused()) {
            throw new IOException(why);
        } else {
            refused.add(new Refused(why, record.value()));
        }
    }

    /** A record that is refused at once has undone the transaction already. */
    private void send(long index, ProducerRecord<byte[], byte[]> record) throws Exception {
        try {
            producer.send(record, (metadata, why) -> {
                if (why != null) {
                    failures.add(new Failed(index, record, why));
                }
            });
        } catch (KafkaException e) {
            throw undone(e);
        }
        check();
    }

    private void check() throws Exception {
        if (!failures.isEmpty()) {
            throw undone(failures.peek().why);
        }
    }

    @Override
    public void flush() throws Exception {
        if (!inTransaction) {
            return;
        }
        try {
            send(MARKER, markers.record(outbox, epoch));
            producer.flush();
            check();
        } catch (KafkaException e) {
            throw undone(e);
        }
        try {
            producer.commitTransaction();
        } catch (KafkaException e) {
            throw unknown(e);
        }
        inTransaction = false;
        committed = epoch;
        handOn();
    }

    /** The transaction has not come to its end: it is undone, and the epoch comes again if that may help. */
    private Exception undone(Exception why) {
        if (why instanceof InterruptException) {
            return interrupted(why);
        }
        try {
            producer.flush();       // the producer may have told of the failure before it told which record has failed
        } catch (InterruptException e) {
            return interrupted(e);
        } catch (KafkaException e) {
            why.addSuppressed(e);
        }
        Failed first = first();
        if (first == null) {
            return unknown(failures.isEmpty() ? why : failures.peek().why);
        }
        if (first.number == MARKER) {
            return unknown(first.why);
        }
        try {
            producer.abortTransaction();
            leaveOut(first);
            findOthers();
            inTransaction = false;
            return new RepeatException("a record was not taken", first.why);
        } catch (KafkaException e) {
            return unknown(e);
        }
    }

    /** The record at fault, or the marker; those behind it may be good ones, which come back for the same reason. */
    private Failed first() {
        for (Failed each : failures) {
            if (each.number == MARKER || producers.isOfRecord(each.why)) {
                return each;
            }
        }
        return null;
    }

    private void leaveOut(Failed of) {
        String words = Producers.words(of.record, of.why);
        if (Producers.isOfTopic(of.why)) {
            closed.put(of.record.topic(), words);
        } else {
            left.put(of.number, words);
        }
    }

    /** Tries those that came back too, each in a transaction of its own, which is undone: a try of the epoch finds several. */
    private void findOthers() {
        List<Failed> others = new ArrayList<>(failures);
        int taken = 0;
        for (int k = 0; k < others.size() && taken < TAKEN; k++) {
            Failed each = others.get(k);
            if (each.number == MARKER || left.containsKey(each.number) || closed.containsKey(each.record.topic())) {
                continue;
            }
            failures.clear();
            producer.beginTransaction();
            producer.send(each.record, (metadata, why) -> {
                if (why != null) {
                    failures.add(new Failed(each.number, each.record, why));
                }
            });
            producer.flush();
            producer.abortTransaction();
            Failed alone = first();
            taken = alone == null ? taken + 1 : 0;
            if (alone != null) {
                leaveOut(alone);
            }
        }
    }

    /** What became of the transaction is found out by another producer of its id. */
    private Exception unknown(Exception told) {
        if (told instanceof InterruptException) {
            return interrupted(told);
        }
        // what a producer throws after a failure only says that there was one
        Exception why = told.getClass() == KafkaException.class && told.getCause() instanceof KafkaException cause ? cause : told;
        closeProducer();
        long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        boolean isFenced = why instanceof ProducerFencedException || why instanceof InvalidProducerEpochException;
        boolean first = isFenced && !fenced;        // a broker does so too with a transaction that has lasted for too long
        fenced |= isFenced;
        if (!first && (isFenced || waited >= settings.whole("retry_for_ms") || KafkaWords.isForGood(why))) {
            return isFenced ? new IOException("another attempt of the job, or another job, has taken over the transactions of "
                    + "the outbox " + outbox, why) : KafkaWords.ofWriting(why, settings);
        }
        host.warn("`" + host.operator() + "`: " + why.getMessage() + "; epoch " + epoch + " is tried again");
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            return e;
        }
        return new RepeatException(why.getMessage(), why);
    }

    private static Exception interrupted(Exception why) {
        Thread.interrupted();       // the client has set it again
        InterruptedException interrupted = new InterruptedException("the job has ended");
        interrupted.initCause(why);
        return interrupted;
    }

    private void closeProducer() {
        if (producer != null) {
            producer.close(Duration.ZERO);
            producer = null;
        }
        inTransaction = false;
    }

    /** Undoes the transaction that is under way. */
    @Override
    public void close() {
        if (producer != null) {
            boolean interrupted = Thread.interrupted();
            producer.close(CLOSE);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
