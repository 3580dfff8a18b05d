package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.TlsContext;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamInfo;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A connection to one of the servers. It is not mended when it breaks: its user makes another one, and so knows what the servers
 * may not have got.
 */
final class Link implements Closeable, ErrorListener {
    private static final Duration PING = Duration.ofSeconds(5);
    private static final int PINGS = 2;
    /** What is not answered by then is given up by the client; a connection that is dead ends before. */
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final String DENIED = "Permissions Violation";
    private static final ThreadFactory DAEMONS = task -> {
        Thread thread = new Thread(task, "despina-nats");
        thread.setDaemon(true);
        return thread;
    };
    private static final long UNUSED_S = 10;
    private static final ScheduledExecutorService TIMERS = Executors.newScheduledThreadPool(1, DAEMONS);

    private final ConnectorSettings settings;
    private final long millis;
    private final ExecutorService threads = new Threads();
    private Connection connection;
    /** Whether one of the client's threads has ended, of which the client itself takes no notice. */
    private volatile boolean broken;
    /** Written by the client's threads. */
    private volatile Exception told;
    private volatile String denied;

    private Link(ConnectorSettings settings, long millis) {
        this.settings = settings;
        this.millis = millis;
    }

    /**
     * Connects. Blocks.
     *
     * @param name   by which the servers list it
     * @param millis how long each server may take, and each question later
     * @throws IOException if no server will do; the message names the field
     */
    static Link open(ConnectorSettings settings, String name, long millis) throws IOException, InterruptedException {
        Link link = new Link(settings, millis);
        String servers = settings.text("servers");
        Options.Builder options = new Options.Builder().servers(servers.split(",")).connectionName(name)
                .connectionTimeout(Duration.ofMillis(millis)).noReconnect().pingInterval(PING).maxPingsOut(PINGS)
                .requestCleanupInterval(ANSWER).dontForceFlushOnRequest().supportUTF8Subjects()
                .executor(link.threads).scheduledExecutor(TIMERS).connectThreadFactory(DAEMONS).callbackExecutor(new AtOnce())
                .errorListener(link).hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs);      // names, for TLS
        if (servers.contains("tls://")) {
            options.sslContext(TlsContext.of(settings.has("tls") ? settings.tls("tls")
                    : new ConnectorSettings.Tls(null, null, null)));
        }
        login(settings, options);
        try {
            link.connection = Nats.connect(options.build());
            return link;
        } catch (IOException | IllegalArgumentException e) {
            throw Words.unconnected(settings, e, link.told, millis);
        } finally {
            if (link.connection == null) {
                link.threads.shutdownNow();
            }
        }
    }

    private static void login(ConnectorSettings settings, Options.Builder options) throws IOException {
        if (settings.has("user")) {
            options.userInfo(settings.secret("user").read().toCharArray(), settings.secret("password").read().toCharArray());
        } else if (settings.has("token")) {
            options.token(settings.secret("token").read().toCharArray());
        } else if (settings.has("credentials")) {
            options.authHandler(KeyLogin.of(settings.secret("credentials").read()));
        }
    }

    Connection connection() {
        return connection;
    }

    boolean isOpen() {
        return !broken && connection.getStatus() == Connection.Status.CONNECTED;
    }

    /** What the servers do not allow, in their words; null while nothing was forbidden. */
    String denied() {
        return denied;
    }

    /** What the client said last of what went wrong; null if it said nothing. */
    Exception told() {
        return told;
    }

    /** Why the client has ended the connection over a message that it cannot read; null if that is not why. */
    String unreadable() {
        for (Throwable cause = told; cause != null; cause = cause.getCause()) {
            if (cause instanceof IllegalArgumentException) {
                return cause.getMessage();
            }
        }
        return null;
    }

    JetStreamOptions patient() {
        return JetStreamOptions.builder().requestTimeout(Duration.ofMillis(millis)).build();
    }

    JetStreamManagement management() throws IOException {
        return connection.jetStreamManagement(patient());
    }

    /** The stream of the graph, as it is now. */
    StreamInfo stream() throws IOException {
        return asked(() -> management().getStreamInfo(settings.text("stream")));
    }

    /** A question to JetStream, with what may go wrong in words. */
    <T> T asked(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (IOException | JetStreamApiException | IllegalStateException e) {
            if (!isOpen()) {
                throw new LostException("the connection to " + settings.text("servers") + " has ended", e);
            }
            throw Words.unanswered(settings, e, denied);
        }
    }

    /** One of them. */
    interface Question<T> {
        T ask() throws IOException, JetStreamApiException;
    }

    @Override
    public void errorOccurred(Connection of, String error) {
        if (error.contains(DENIED)) {
            denied = error;
        }
    }

    @Override
    public void exceptionOccurred(Connection of, Exception why) {
        told = why;
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            connection.close();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        threads.shutdown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs what the client tells of errors, before it goes on: a connection that is not made has told why. */
    private static final class AtOnce extends AbstractExecutorService {
        private volatile boolean ended;

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            ended = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown();
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return ended;
        }

        @Override
        public boolean isTerminated() {
            return ended;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return ended;
        }
    }

    /** Those of the client. */
    private final class Threads extends ThreadPoolExecutor {
        Threads() {
            super(0, Integer.MAX_VALUE, UNUSED_S, TimeUnit.SECONDS, new SynchronousQueue<>(), DAEMONS);
        }

        @Override
        protected void afterExecute(Runnable task, Throwable failure) {
            super.afterExecute(task, failure);
            if (!(task instanceof Future<?> ended) || !ended.isDone() || ended.isCancelled()) {
                return;
            }
            try {
                ended.get();
            } catch (ExecutionException e) {
                told = e;
                broken = true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
