package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import io.despina.connect.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UByte;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryData;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadResult;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRawModifiedDetails;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;

/** Asks a server for its history: OPC UA Part 11, HistoryRead of raw values. */
record HistoryService(Link link) implements History.Asked {
    private static final DataValue[] NO_VALUES = {};
    /** Of UserAccessLevel: the history may be read. */
    private static final int MAY_READ = 4;

    /**
     * Those of the nodes whose history may not be read, or that have none. Blocks.
     *
     * @throws RefusedException if that is so of all of them
     */
    List<Item> lacking(String server, List<Item> all) throws IOException, InterruptedException {
        List<DataValue> levels = new Batches().ask(all, some -> link.ask(ReadResponse.class, header -> new ReadRequest(header,
                0.0, TimestampsToReturn.Neither, some.stream().map(each -> new ReadValueId(each.node(),
                AttributeId.UserAccessLevel.uid(), null, QualifiedName.NULL_VALUE)).toArray(ReadValueId[]::new))).getResults());
        List<Item> lacking = new ArrayList<>();
        for (int k = 0; k < all.size(); k++) {
            if (!(levels.get(k).getValue().getValue() instanceof UByte level) || (level.intValue() & MAY_READ) == 0) {
                lacking.add(all.get(k));
            }
        }
        if (lacking.size() == all.size()) {
            throw new RefusedException("`history`: none of the nodes has one at " + server + " that may be read "
                    + "(UserAccessLevel): switch it on there, or leave `history` out", null);
        }
        return lacking;
    }

    @Override
    public HistoryReadResult[] read(List<HistoryReadValueId> nodes, History.Slice slice, int most) throws IOException,
            InterruptedException {
        return ask(nodes, new ReadRawModifiedDetails(false, Reading.time(slice.from()), Reading.time(slice.to()), uint(most),
                false), false);
    }

    @Override
    public void release(List<HistoryReadValueId> nodes) throws IOException, InterruptedException {
        try {
            ask(nodes, new ReadRawModifiedDetails(false, null, null, uint(0), false), true);
        } catch (FaultException atLeastTried) {
            // the server ends them with the session
        }
    }

    private HistoryReadResult[] ask(List<HistoryReadValueId> nodes, ReadRawModifiedDetails which, boolean releases)
            throws IOException, InterruptedException {
        ExtensionObject details = ExtensionObject.encode(link.context(), which);
        return link.ask(HistoryReadResponse.class, header -> new HistoryReadRequest(header, details, TimestampsToReturn.Both,
                releases, nodes.toArray(HistoryReadValueId[]::new))).getResults();
    }

    @Override
    public DataValue[] values(HistoryReadResult answer) {
        ExtensionObject data = answer.getHistoryData();
        return data != null && !data.isNull() && data.decodeOrNull(link.context()) instanceof HistoryData found
                && found.getDataValues() != null ? found.getDataValues() : NO_VALUES;
    }
}
