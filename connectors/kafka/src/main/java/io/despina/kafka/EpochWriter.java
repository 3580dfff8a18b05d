package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * Writes each epoch of an outbox in a transaction, with its marker. The outbox's name is the transactions' id: whoever takes it
 * over ends what was under way, and this writer can then do nothing more. A record that no broker takes undoes its transaction;
 * the epoch comes again without it.
 */
final class EpochWriter implements RecordWriter {
    private static final Duration CLOSE = Duration.ofSeconds(3);
    private static final long PAUSE_MS = 200;

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final Producers producers;
    private final Markers markers;
    private KafkaProducer<byte[], byte[]> producer;
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
    /** The same of those found in this transaction; the producer's thread adds them. */
    private final Map<Long, String> found = new ConcurrentHashMap<>();
    /** A record of about so many bytes was too large; written by the producer's thread. */
    private volatile int tooLarge = Integer.MAX_VALUE;
    /** Written by the producer's thread. */
    private volatile Exception failure;

    EpochWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
        String client = ClientProperties.name(host.operator(), host.instance());
        producers = new Producers(settings, client);
        markers = new Markers(settings, client);
    }

    /** Brokers that are away must not hold up the first epoch. */
    @Override
    public void open(boolean later) {
        // the name of the outbox is not known yet
    }

    @Override
    public Marker marker(String of, long asked) throws Exception {
        begun(of);
        return asked <= committed ? Marker.THERE : Marker.ABSENT;
    }

    /** Has a producer whose earlier transactions have ended, and knows the last epoch that is there. */
    private void begun(String of) throws Exception {
        if (producer != null && of.equals(outbox)) {
            return;
        }
        outbox = of;
        producers.refuseMissing();
        markers.ensure();
        KafkaProducer<byte[], byte[]> made = producers.made("despina-" + of);
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
            left.clear();
        }
        number = 0;
        failure = null;
        found.clear();
        producer.beginTransaction();
        inTransaction = true;
    }

    @Override
    public void write(Outgoing row) throws Exception {
        check();
        ProducerRecord<byte[], byte[]> record = producers.record(row);
        long index = number++;
        String why = left.get(index);
        if (why == null && Producers.size(record) >= tooLarge) {
            why = "Kafka does not take the record for topic `" + record.topic() + "`: one of " + tooLarge + " bytes was too large";
        }
        if (why == null) {
            send(record, index);
        } else {
            host.refused(why, record.value());
        }
    }

    /** A record that is refused at once has undone the transaction already. */
    private void send(ProducerRecord<byte[], byte[]> record, long index) throws Exception {
        try {
            producer.send(record, (metadata, why) -> {
                if (why != null && Producers.isOfRecord(why)) {
                    if (why instanceof RecordTooLargeException) {
                        tooLarge = Math.min(tooLarge, Producers.size(record));
                    }
                    found.put(index, Producers.words(record, why));
                } else if (why != null && failure == null) {
                    failure = why;
                }
            });
        } catch (KafkaException e) {
            throw undone(e);
        }
        check();
    }

    private void check() throws Exception {
        if (!found.isEmpty() || failure != null) {
            throw undone(failure);
        }
    }

    @Override
    public void flush() throws Exception {
        if (!inTransaction) {
            return;
        }
        try {
            send(markers.record(outbox, epoch), number);
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
    }

    /** The transaction has not come to its end: it is undone, and the epoch comes again if that may help. */
    private Exception undone(Exception why) {
        if (why instanceof InterruptException) {
            return interrupted(why);
        }
        if (!found.isEmpty()) {
            left.putAll(found);
            try {
                producer.abortTransaction();
                inTransaction = false;
                return new RepeatException("a record was not taken", why);
            } catch (KafkaException e) {
                return unknown(e);
            }
        }
        return unknown(why);
    }

    /** What became of the transaction is found out by another producer of its id. */
    private Exception unknown(Exception why) {
        if (why instanceof InterruptException) {
            return interrupted(why);
        }
        closeProducer();
        long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        boolean isFenced = why instanceof ProducerFencedException || why instanceof InvalidProducerEpochException;
        if (isFenced || waited >= settings.whole("retry_for_ms") || KafkaWords.isForGood(why)) {
            return isFenced ? new IOException("another attempt of the job, or another job, has taken over the transactions of the "
                    + "outbox " + outbox, why) : KafkaWords.ofWriting(why, settings);
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
