package io.despina.plan;

/** A source that reads files, or standard input (see {@link StandardStreams}). */
public interface ReadsFiles extends OperatorSpec {
    /** Absolute, or a URI: a file, a folder or a glob. */
    String path();
}
