package io.despina.wake;

/** Makes a task runnable. Whatever a task may wait for is given its waker: a queue, memory, a file, a timer. */
@FunctionalInterface
public interface Waker {

    /**
     * The task runs soon, and looks again for what it waits for. Any thread may call this, at any time and as often as it likes;
     * it returns at once.
     */
    void wake();
}
