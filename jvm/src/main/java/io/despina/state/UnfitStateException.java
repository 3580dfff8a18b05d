package io.despina.state;

/** What an operator kept in an epoch is whole, and the operator of now cannot go on from it. It never can: no retry helps. */
public final class UnfitStateException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    /**
     * @param who   the class that the operator runs; null if it is none of the user's
     * @param epoch from which it was to go on
     */
    public UnfitStateException(String who, long epoch, SnapshotException why) {
        super((who == null ? "it" : "class " + who) + " cannot go on from epoch " + epoch + ": " + why.getMessage(), why);
    }
}
