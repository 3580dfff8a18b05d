package io.despina.python;

import io.despina.arrow.ArrowException;
import io.despina.json.Json;
import io.despina.packet.Bytes;
import io.despina.socket.LocalPeer;
import io.despina.spec.Clock;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A Python process with one function. It is started by {@code exec} and gets its socket's place and a secret by standard input,
 * which is its life line: it ends when that does, so it ends with this JVM, however this JVM dies. Batches go to it by
 * {@link #send}, and what it says waits in a queue. While the queue has much, the worker waits in its write.
 *
 * <p>One thread at a time uses it; the socket's thread fills the queue and wakes the user.
 */
public final class PythonWorker implements FunctionProcess {
    /** The most bytes of a frame that comes. */
    private static final int MOST_BYTES = 1 << 28;
    /** With so many bytes in the queue, nothing more is read. */
    private static final int MOST_QUEUED = 4 << 20;
    private static final int SECRET_BYTES = 16;
    /** How long one may take to leave by itself when it is no longer needed. */
    private static final long LEAVE_S = 2;
    /** So long after its end what it has sent is waited for: a process that it has forked may hold its socket open. */
    private static final long LAST_MS = 500;
    private static final long DUMP_MS = 300;
    /** The exit code of one whose interpreter is too old, or lacks what each function needs: so would the next be. */
    private static final int UNFIT = 3;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final FunctionSpec function;
    /** Of functions that are of no module, by name: their code. */
    private final Map<String, String> cells;
    private final Waker waker;
    private final WorkerFolder folder;
    private final Path path;
    /** A file of one byte, in which a process with several functions writes which one it calls; null for others. */
    private final Path place;
    private final LocalPeer peer;
    private final Process process;
    private final WorkerOutput output;
    private final byte[] secret;
    /** The socket's thread adds, the user takes; the last is {@link WorkerEvent.Gone}. */
    private final Queue<WorkerEvent> events = new ConcurrentLinkedQueue<>();
    private final AskedRequests asked = new AskedRequests();
    /** Changed by both threads. */
    private final AtomicInteger queued = new AtomicInteger();
    /** Why it is killed; written by any thread, read by the one that reports its end. */
    private volatile String killed;
    /** Why its socket has failed, perhaps by its end; written by the socket's thread, read by the one that reports its end. */
    private volatile String broken;
    /** Of the socket's thread: the process has proved that it is the one that was started. */
    private boolean known;
    /** Completes behind the last frame that it has sent. */
    private final CompletableFuture<Void> allCame = new CompletableFuture<>();
    /** Written by the user, read by the socket's thread. */
    private volatile boolean closed;

    private PythonWorker(Interpreter python, FunctionSpec function, Consumer<String> log, Waker waker) throws IOException {
        this.function = function;
        this.waker = waker;
        cells = python.cells();
        byte[] random = new byte[SECRET_BYTES];
        RANDOM.nextBytes(random);
        String word = HexFormat.of().formatHex(random);
        secret = word.getBytes(StandardCharsets.US_ASCII);
        folder = WorkerFolder.take();
        path = folder.socket();
        place = function.user().behind().isEmpty() ? null : path.resolveSibling(path.getFileName() + ".at");
        LocalPeer listening = null;
        Path modules;
        try {
            if (place != null) {
                Files.write(place, new byte[1]);
            }
            modules = areHere(python) ? null : folder.modules(python.sent().files());
            listening = LocalPeer.listen(path, MOST_BYTES, new Incoming());
            // what it compiles is not written beside modules that came: their folder goes, perhaps while one is imported
            process = python.start(modules == null ? "-u" : "-uB", folder.program().toString());
        } catch (IOException | RuntimeException failed) {
            if (listening != null) {
                listening.close();
            }
            leave();
            throw failed;
        }
        peer = listening;
        output = new WorkerOutput(process.getInputStream(), log);
        process.onExit().thenRun(this::awaitLast);
        CompletableFuture.allOf(process.onExit(), allCame).thenRunAsync(this::ended);
        tell(python, modules, word);
    }

    /**
     * Starts one, and returns before it is up.
     *
     * @param log   takes what it prints, line by line, on a thread of the worker's own
     * @param waker woken when {@link #poll} has something, on any thread
     * @throws NoInterpreterException if its command runs nothing
     */
    public static PythonWorker start(Interpreter python, FunctionSpec function, Consumer<String> log, Waker waker)
            throws IOException {
        return new PythonWorker(python, function, log, waker);
    }

    /** Whether each module that came with the job lies in one of its folders here. */
    private static boolean areHere(Interpreter python) {
        return python.sent().files().keySet().stream()
                .allMatch(place -> python.modules().stream().anyMatch(each -> Files.isRegularFile(Path.of(each, place))));
    }

    /** @param modules a folder of those that came with the job; null if they are here */
    private void tell(Interpreter python, Path modules, String word) {
        var settings = Json.object().put("socket", path.toString()).put("secret", word);
        if (place != null) {
            settings.put("place", place.toString());
        }
        var paths = settings.putArray("paths");
        python.modules().forEach(paths::add);
        if (modules != null) {
            paths.add(modules.toString());
            settings.put("sent", modules.toString());
        }
        if (python.sent().unsent() != null) {
            settings.put("unsent", python.sent().unsent());
        }
        if (python.sent().allowed() != null) {
            var allowed = settings.putArray("allowed");
            python.sent().allowed().forEach(allowed::add);
        }
        var versions = settings.putObject("versions");
        python.sent().versions().forEach(versions::put);
        try {
            process.getOutputStream().write((Json.text(settings) + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException alreadyGone) {
            // its end is reported with its last words
            return;
        }
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public WorkerEvent poll() {
        WorkerEvent next = events.poll();
        int size = next == null ? 0 : next.size();
        if (size > 0 && queued.addAndGet(-size) <= MOST_QUEUED) {
            peer.read(true);
        }
        return next;
    }

    @Override
    public void send(long number, byte[] message) {
        peer.send(FrameKind.BATCH.code, number, message);
    }

    @Override
    public void sendAlone(long number) {
        peer.queue(FrameKind.ALONE.code, number, new byte[0]);
    }

    @Override
    public void send(long number, BatchSlots slots) {
        if (slots.keys() != null) {
            peer.queue(FrameKind.KEYS.code, slots.first(), slots.keys());
            peer.queue(FrameKind.STATES.code, slots.first(), slots.states());
        }
        byte[] rows = new byte[slots.rows().length * Integer.BYTES];
        for (int k = 0; k < slots.rows().length; k++) {
            Bytes.putInt(rows, k * Integer.BYTES, slots.rows()[k]);
        }
        peer.queue(FrameKind.SLOTS.code, number, rows);
        if (function.kept().clock() == Clock.EVENT) {
            byte[] times = new byte[slots.times().length * Long.BYTES];
            for (int k = 0; k < slots.times().length; k++) {
                Bytes.putLong(times, k * Long.BYTES, slots.times()[k]);
            }
            peer.queue(FrameKind.TIMES.code, number, times);
        }
    }

    @Override
    public void sendTimers(long number, long until, int most) {
        byte[] which = new byte[Long.BYTES + Integer.BYTES];
        Bytes.putLong(which, 0, until);
        Bytes.putInt(which, Long.BYTES, most);
        peer.send(FrameKind.TIMERS.code, number, which);
    }

    @Override
    public void sendEnds(long number) {
        peer.send(FrameKind.ENDS.code, number, new byte[0]);
    }

    @Override
    public void pull(long number) {
        peer.send(FrameKind.PULL.code, number, new byte[0]);
    }

    @Override
    public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
        CompletableFuture<Void> answered = asked.add();
        peer.send(what.frame.code, epoch, payload);
        return answered;
    }

    @Override
    public int place() {
        try {
            return place == null ? 0 : Files.readAllBytes(place)[0];
        } catch (IOException gone) {
            return 0;
        }
    }

    @Override
    public long memoryBytes() {
        return ProcessMemory.bytes(process.pid());
    }

    @Override
    public void kill(String why) {
        killed = why;
        try {
            new ProcessBuilder("kill", "-USR1", Long.toString(process.pid())).start();
        } catch (IOException noSuchCommand) {
            process.destroyForcibly();
            return;
        }
        CompletableFuture.delayedExecutor(DUMP_MS, TimeUnit.MILLISECONDS).execute(process::destroyForcibly);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (!peer.isConnected()) {
            process.destroyForcibly();      // it has run nothing of the user's, and would miss its folder
        }
        peer.close();
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyGone) {
            System.getLogger(PythonWorker.class.getName()).log(System.Logger.Level.DEBUG, "a worker had ended", alreadyGone);
        }
        process.onExit().orTimeout(LEAVE_S, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
        Files.deleteIfExists(path);
        leave();
    }

    private void leave() throws IOException {
        if (place != null) {
            Files.deleteIfExists(place);
        }
        folder.give();
    }

    private void add(WorkerEvent event) {
        events.add(event);
        waker.wake();
    }

    /** The process has ended: what it has sent comes before the news of its end. */
    private void awaitLast() {
        if (closed || !peer.isConnected()) {
            allCame.complete(null);
        } else if (!allCame.isDone()) {
            CompletableFuture.delayedExecutor(LAST_MS, TimeUnit.MILLISECONDS).execute(() -> {
                if (queued.get() <= MOST_QUEUED) {
                    peer.hangUp();
                }
                awaitLast();
            });
        }
    }

    private void ended() {
        output.awaitEnd();
        int code = process.exitValue();
        int signal = code - Byte.MAX_VALUE - 1;
        String how = (signal > 0 ? "was killed by signal " + signal : "ended with code " + code)
                + (broken == null ? "" : " (its socket: " + broken + ")");
        String last = output.last();
        String why = (killed == null ? how : killed) + (last.isEmpty() ? "" : ": " + last);
        asked.end("the worker of " + function.names() + " " + why);
        add(code == UNFIT && !peer.isConnected() ? new WorkerEvent.Refused(last) : new WorkerEvent.Gone(why));
    }

    private final class Incoming implements LocalPeer.Receiver {
        @Override
        public void frame(int kind, long number, byte[] payload) {
            try {
                if (!known) {
                    greet(kind, payload);
                    return;
                }
                if (kind == FrameKind.SETTLED.code) {
                    asked.settled(payload);
                    waker.wake();
                    return;
                }
                WorkerEvent event = WorkerEvent.of(kind, number, payload);
                if (event.size() > 0 && queued.addAndGet(event.size()) > MOST_QUEUED) {
                    peer.read(false);
                }
                add(event);
            } catch (ArrowException | IOException broken) {
                killed = broken.getMessage();
                process.destroyForcibly();
            }
        }

        private void greet(int kind, byte[] payload) throws IOException {
            if (kind != FrameKind.HELLO.code || !MessageDigest.isEqual(secret, payload)) {
                throw new ArrowException("a process that does not know the secret");
            }
            known = true;
            peer.send(FrameKind.OPEN.code, 0, OpenFrame.of(function, cells));
        }

        @Override
        public void closed(String why) {
            broken = why;
            if (!closed) {
                process.destroyForcibly();      // it has closed its end, and might stay; one that is let go leaves by itself
            }
            allCame.complete(null);
        }
    }
}
