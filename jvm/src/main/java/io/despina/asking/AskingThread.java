package io.despina.asking;

import io.despina.connect.ReaderHost;
import java.util.concurrent.Semaphore;

/** The thread of a reader. It may wait; an interrupt ends it. */
final class AskingThread {
    private final ReaderHost host;
    private final Thread thread;
    private final Semaphore room = new Semaphore(0);
    /** Written by the source's thread. */
    private volatile boolean stopped;

    /** What it does, until it returns. */
    interface AskingWork {
        void run() throws Exception;
    }

    AskingThread(ReaderHost host, AskingWork work) {
        this.host = host;
        thread = new Thread(() -> run(work), "despina-asking-" + host.operator());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run(AskingWork work) {
        try {
            work.run();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            if (!stopped) {
                host.failed(e);
            }
        } catch (Error e) {
            host.failed(new IllegalStateException(e.toString(), e));
            throw e;
        }
    }

    /** Waits until the graph has room. */
    void awaitRoom() throws InterruptedException {
        while (!host.hasRoom()) {
            room.drainPermits();        // of calls that came twice
            host.whenRoom(room::release);
            room.acquire();
        }
    }

    /** What it waits for does not matter any more. */
    void stop() {
        stopped = true;
        thread.interrupt();
    }
}
