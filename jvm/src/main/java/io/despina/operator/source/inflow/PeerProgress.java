package io.despina.operator.source.inflow;

import io.despina.inflow.Peer;
import io.despina.operator.record.RecordReader;

/** How far one peer has come. The source's thread alone uses it. */
public final class PeerProgress {
    /** Its records so far; headers and blank lines count. */
    public long number;
    /** Its CSV header, once it has come, or null. */
    public byte[] header;
    /** Of the lines behind the header; null where there is none, or it has not been read yet. */
    public RecordReader reader;
    /** Its header did not fit: what follows from it is passed over. */
    public boolean refused;

    public static PeerProgress of(Peer peer) {
        if (peer.state() == null) {
            peer.state(new PeerProgress());
        }
        return (PeerProgress) peer.state();
    }
}
