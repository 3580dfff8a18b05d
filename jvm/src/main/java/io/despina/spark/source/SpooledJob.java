package io.despina.spark.source;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.SpoolPlaces;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.spool.SpoolClient;
import io.despina.control.spool.SpoolServer;
import io.despina.spark.job.GivenOptions;
import io.despina.spark.job.JobHost;
import io.despina.spark.job.RequestWire;
import io.despina.spool.Spool;
import io.despina.spool.SpoolDirection;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.SparkContext;

/**
 * A job whose output Spark reads, as the driver directs it. Its rows stay until they are {@link #cut}, and the job lasts until
 * this is closed, since its resources have them.
 */
final class SpooledJob implements AutoCloseable {

    /** What the rows are read for. */
    enum Reading {
        /** All of them, perhaps again. */
        BATCH,
        /** To their end, once. */
        AVAILABLE,
        STREAM
    }

    private final String generation = UUID.randomUUID().toString();
    private final SourceOptions options;
    private final JobHost.Hosted hosted;
    private final Coordinator coordinator;
    private final List<SpoolPartition.Place> places = new ArrayList<>();
    private final List<SpoolDirection> spools = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private String job;
    private boolean closed;

    private SpooledJob(SourceOptions options, JobHost.Hosted hosted) {
        this.options = options;
        this.hosted = hosted;
        coordinator = hosted.coordinator();
    }

    /**
     * Starts it, and waits until it runs.
     *
     * @throws IllegalArgumentException if the graph is refused
     * @throws IllegalStateException    if the job fails
     */
    static SpooledJob start(SourceOptions options, Reading reading) {
        try {
            SpooledJob started = new SpooledJob(options, options.job().hosted());
            boolean runs = false;
            try {
                started.start(options.spooling(started.generation, reading != Reading.STREAM, reading == Reading.BATCH));
                runs = true;
            } finally {
                if (!runs) {
                    started.close();
                }
            }
            return started;
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void start(Spooling spooling) throws Refusal, IOException, InterruptedException {
        Submission submission = options.job().submission(hosted, spooling);
        ObjectNode answer = coordinator.run(submission);
        if (!answer.has("job")) {
            GivenOptions.planned(submission);
            throw new Refusal("graph", "the graph is refused: " + answer, null);
        }
        job = answer.get("job").asText();
        SpoolPlaces found;
        try {
            found = coordinator.spoolPlaces(job);
        } catch (Refusal why) {
            throw failed(why);
        }
        connect(found);
        coordinator.ended(job).thenRunAsync(this::tellOfFailure);
    }

    private void connect(SpoolPlaces found) throws IOException, Refusal {
        String tls = options.job().tls();
        SpoolPartition.Place here = found.resources().contains(null) ? serve(tls) : null;
        Wire wire = null;
        for (InetSocketAddress resource : found.resources()) {
            SpoolId id = new SpoolId(generation, spools.size());
            Spool inThisProcess = Spools.find(id);
            if (inThisProcess != null) {
                spools.add(inThisProcess);
                places.add(here);
                continue;
            }
            if (wire == null) {
                wire = RequestWire.open(found.secret(), tls);
                opened.add(wire);
            }
            spools.add(new SpoolClient(wire, resource.getHostString(), resource.getPort(), id));
            places.add(new SpoolPartition.Place(resource.getHostString(), resource.getPort(), found.secret(), tls));
        }
    }

    /**
     * Tasks elsewhere come here for rows that this process has; elsewhere is also another class loader of it, as Spark makes one
     * for a jar that was added to a session.
     */
    private SpoolPartition.Place serve(String tls) throws IOException {
        SparkContext spark = SparkContext.getOrCreate();
        String host = spark.isLocal() ? "127.0.0.1" : spark.conf().get("spark.driver.host");
        String secret = UUID.randomUUID().toString();
        ExecutorService requests = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "despina-spool");
            thread.setDaemon(true);
            return thread;
        });
        opened.add(requests::shutdownNow);
        Wire wire = RequestWire.open(host, secret, tls);
        opened.add(wire);
        wire.onControl(connection -> new SpoolServer(connection, requests, none -> null));
        return new SpoolPartition.Place(host, wire.port(), secret, tls);
    }

    /** Its tasks learn why nothing comes any more. */
    private synchronized void tellOfFailure() {
        try {
            Refusal why = closed ? null : coordinator.failure(job);
            for (SpoolDirection spool : why == null ? List.<SpoolDirection>of() : spools) {
                spool.fail(failed(why).getMessage());
            }
        } catch (IOException | Refusal gone) {
            System.getLogger(SpooledJob.class.getName()).log(System.Logger.Level.DEBUG, "its resource has gone too", gone);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private IllegalStateException failed(Refusal why) {
        return new IllegalStateException("the job of " + options.job().graph() + " has failed: " + why.render());
    }

    String generation() {
        return generation;
    }

    int instances() {
        return spools.size();
    }

    SpoolPartition partition(int instance, long from, long to) {
        return new SpoolPartition(generation, instance, "`" + options.output() + "` (instance " + instance + ")",
                places.get(instance), from, to);
    }

    /** @throws IllegalStateException if the job has failed */
    synchronized List<SpoolState> states() {
        refuseFailed();
        List<SpoolState> states = new ArrayList<>();
        for (SpoolDirection spool : spools) {
            states.add(ask(spool::state));
        }
        return states;
    }

    synchronized long rowBehind(int instance, long row, long bytes) {
        return ask(() -> spools.get(instance).rowBehind(row, bytes));
    }

    /** Rows before these are not needed any more. */
    synchronized void cut(long[] rows) {
        for (int k = 0; k < rows.length; k++) {
            int instance = k;
            ask(() -> {
                spools.get(instance).cut(rows[instance]);
                return null;
            });
        }
    }

    private void refuseFailed() {
        try {
            Refusal why = coordinator.failure(job);
            if (why != null) {
                throw failed(why);
            }
        } catch (Refusal unknown) {
            throw new IllegalStateException(unknown.render(), unknown);
        }
    }

    private interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    private <T> T ask(Question<T> question) {
        try {
            return question.ask();
        } catch (IOException e) {
            refuseFailed();
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** As Spark's streams expect it of a source when they are stopped. */
    private static RuntimeException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new UncheckedIOException((IOException) new InterruptedIOException("stopped").initCause(e));
    }

    /** Stops the job and gives its rows back to the disks. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean wasInterrupted = Thread.interrupted();
        for (SpoolDirection spool : spools) {
            try {
                spool.release();
            } catch (IOException | InterruptedException gone) {
                System.getLogger(SpooledJob.class.getName()).log(System.Logger.Level.DEBUG, "its resource has gone", gone);
            }
        }
        coordinator.close();
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                System.getLogger(SpooledJob.class.getName()).log(System.Logger.Level.WARNING, "a connection did not close", e);
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
