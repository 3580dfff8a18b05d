package io.despina.compare;

import java.io.Serializable;
import java.util.function.Supplier;

/** Makes a feeder, a step or a sink where it runs: it travels inside a peer's job, what it makes does not. */
public interface Maker<T> extends Supplier<T>, Serializable {
}
