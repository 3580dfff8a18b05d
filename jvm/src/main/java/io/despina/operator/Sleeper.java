package io.despina.operator;

/** How to wait: {@link Thread#sleep(long, int)} in production, fake time in tests. */
@FunctionalInterface
public interface Sleeper {
    void sleep(long nanos) throws InterruptedException;
}
