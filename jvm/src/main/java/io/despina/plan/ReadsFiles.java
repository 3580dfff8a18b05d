package io.despina.plan;

/** A source that reads files, or standard input (see {@link StandardStreams}). */
public interface ReadsFiles extends OperatorSpec {
    /** An absolute path or a URI, of a file, a folder or a glob. */
    String path();
}
