package io.despina.api;

/**
 * A {@link RowSource} that says: after {@link #restore} it brings exactly the rows that follow the {@link #position}, none of
 * them less and none twice. The engine cannot see that for itself, and says in {@code check} that rows may be lost where a source
 * does not promise it.
 */
public interface ReplayableSource extends RowSource {
}
