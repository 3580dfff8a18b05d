package io.despina.runtime.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.socket.LocalPeer;
import io.despina.spec.Blocking;
import io.despina.spec.OnError;
import io.despina.spec.Schedule;
import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who serves a socket to a process of this machine that is opened for a task. */
class ThreadWorkersTest {
    private static final long PATIENCE_S = 30;
    private static final ByteBuffer FRAME = ByteBuffer.wrap(new byte[16]).asReadOnlyBuffer();
    private static final Operator NOTHING = new Operator() {
        @Override
        public void process(int port, PacketCursor packets) {
            throw new IllegalStateException("nothing comes");
        }
    };

    @TempDir
    Path folder;

    /** On which threads frames come, and then the end. */
    private static final class Heard implements LocalPeer.Receiver {
        private final BlockingQueue<String> threads = new LinkedBlockingQueue<>();

        @Override
        public void frame(int kind, long number, byte[] payload) {
            threads.add(Thread.currentThread().getName());
        }

        @Override
        public void closed(String why) {
            threads.add("closed");
        }

        String next() throws InterruptedException {
            return String.valueOf(threads.poll(PATIENCE_S, TimeUnit.SECONDS));
        }
    }

    private static TaskSpec task(Blocking blocking) {
        StageSpec stage = new StageSpec("it", 0, 1, () -> NOTHING, new StageSpec.Ports(List.of(), List.of()), OnError.FAIL,
                List.of(), StageSpec.Role.WHOLE);
        return new TaskSpec("it-0", List.of(stage), List.of(), List.of(), blocking, Schedule.DATA, TaskSettings.DEFAULT);
    }

    private LocalPeer opened(Heard heard) {
        try {
            return LocalPeer.listen(folder.resolve("s"), 100, heard);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private String serves(WorkerOptions options, Blocking blocking) throws Exception {
        ThreadWorkers workers = new ThreadWorkers(options, null, System::nanoTime);
        Heard heard = new Heard();
        CompletableFuture<LocalPeer> opened = new CompletableFuture<>();
        Worker home = workers.assign("job", task(blocking));
        workers.runBlocking("job", task(blocking), home.aside(() -> opened.complete(opened(heard))));
        try (LocalPeer peer = opened.get(PATIENCE_S, TimeUnit.SECONDS);
                SocketChannel process = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            process.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
            process.write(FRAME.duplicate());
            String thread = heard.next();
            peer.send(1, 2, new byte[3]);
            ByteBuffer answer = ByteBuffer.allocate(16 + 3);
            int more = process.read(answer);
            while (more > 0 && answer.hasRemaining()) {
                more = process.read(answer);
            }
            assertEquals(0, answer.remaining());
            process.write(FRAME.duplicate());
            assertEquals(thread, heard.next(), "it stays there");
            return thread;
        } finally {
            workers.release(home);
            workers.close();
            assertEquals("closed", heard.next());
        }
    }

    @Test
    void theTasksOwnWorkerDoes() throws Exception {
        assertEquals(SharedThreads.NAME + 0, serves(WorkerOptions.of(1), Blocking.OPENING));
    }

    @Test
    void othersDoWhereTheyServeConnectionsOrTheTaskMayBlock() throws Exception {
        assertTrue(serves(new WorkerOptions(1, 1, 0, worker -> { }), Blocking.OPENING).startsWith("despina-io"));
        assertTrue(serves(WorkerOptions.of(1), Blocking.ALWAYS).startsWith("despina-io"));
    }

    @Test
    void aSocketThatIsOpenIsClosedWithItsWorker() throws Exception {
        ThreadWorkers workers = new ThreadWorkers(WorkerOptions.of(1), null, System::nanoTime);
        Heard heard = new Heard();
        CompletableFuture<LocalPeer> opened = new CompletableFuture<>();
        Worker home = workers.assign("job", task(Blocking.OPENING));
        workers.runBlocking("job", task(Blocking.OPENING), home.aside(() -> opened.complete(opened(heard))));
        try (LocalPeer peer = opened.get(PATIENCE_S, TimeUnit.SECONDS);
                SocketChannel process = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            process.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
            process.write(FRAME.duplicate());
            assertEquals(SharedThreads.NAME + 0, heard.next());
            assertTrue(peer.isConnected());
            workers.close();
            assertEquals("closed", heard.next());
            assertEquals(-1, process.read(ByteBuffer.allocate(1)));
        }
    }
}
