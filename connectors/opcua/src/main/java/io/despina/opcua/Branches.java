package io.despina.opcua;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResult;
import org.eclipse.milo.opcua.stack.core.types.structured.ReferenceDescription;

/**
 * What is below nodes. A server that has more below one than it says at once goes on from a continuation point. It has few of
 * these, and refuses the nodes for which none is left: they are asked about again, alone, when those of the others are free.
 */
final class Branches {
    /** What the server is asked. */
    interface Asked {
        /** As many as there are nodes. */
        BrowseResult[] below(List<NodeId> nodes) throws IOException, InterruptedException;

        /** One: what follows a continuation point. */
        BrowseResult[] more(ByteString point) throws IOException, InterruptedException;
    }

    private final Asked server;
    private final Batches batches = new Batches();

    Branches(Asked server) {
        this.server = server;
    }

    /** In the order of the nodes. Blocks. */
    List<List<ReferenceDescription>> below(List<NodeId> nodes) throws IOException, InterruptedException {
        List<BrowseResult> answers = batches.ask(nodes, server::below);
        List<List<ReferenceDescription>> all = new ArrayList<>();
        for (BrowseResult each : answers) {
            all.add(isRefused(each) ? null : whole(each));
        }
        for (int k = 0; k < all.size(); k++) {
            if (all.get(k) == null) {
                all.set(k, whole(Batches.only(server.below(List.of(nodes.get(k))))));
            }
        }
        return all;
    }

    private static boolean isRefused(BrowseResult result) {
        StatusCode status = result.getStatusCode();
        return status != null && status.getValue() == StatusCodes.Bad_NoContinuationPoints;
    }

    private List<ReferenceDescription> whole(BrowseResult first) throws IOException, InterruptedException {
        List<ReferenceDescription> found = new ArrayList<>();
        BrowseResult result = first;
        while (true) {
            if (isRefused(result)) {
                throw new IOException("the server does not list all nodes: other clients hold all its continuation points");
            }
            if (result.getReferences() != null) {
                found.addAll(List.of(result.getReferences()));
            }
            ByteString more = result.getContinuationPoint();
            if (more == null || more.isNullOrEmpty()) {
                return found;
            }
            result = Batches.only(server.more(more));
            if (result.getStatusCode() != null && result.getStatusCode().isBad()) {
                throw new IOException("the server does not list all nodes: " + Words.name(result.getStatusCode()));
            }
        }
    }
}
