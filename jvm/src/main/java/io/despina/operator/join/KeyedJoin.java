package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.packet.PacketCursor;
import io.despina.state.PairedPackets;
import io.despina.state.State;
import java.util.List;

/** A join whose keys have clocks of their own: it takes what {@link ClockedInputs} lets out. Ports: left, right; out, late. */
abstract class KeyedJoin implements Operator, ClockedInputs.Joining {
    static final boolean LEFT = true;
    static final boolean RIGHT = false;

    private final JoinOptions options;
    private final boolean ordered;

    private OperatorContext context;
    private ClockedInputs inputs;
    private OperatorState state;

    /**
     * @param options with clocks
     * @param ordered as of {@link ClockedInputs}
     */
    KeyedJoin(JoinOptions options, boolean ordered) {
        this.options = options;
        this.ordered = ordered;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        inputs = new ClockedInputs(opened, options, ordered, this);
        state = new OperatorState(opened).with(inputs.states());
    }

    final JoinOptions options() {
        return options;
    }

    final boolean hasRoom() {
        return context.hasRoom();
    }

    final ClockedInputs inputs() {
        return inputs;
    }

    final PairedPackets packets() {
        return inputs.packets();
    }

    /** For what a join keeps beside its inputs. */
    final OperatorState state() {
        return state;
    }

    @Override
    public final void process(int port, PacketCursor cursor) throws Exception {
        inputs.accept(port, cursor);
        state.report();
    }

    @Override
    public final void inputWatermark(int port, long watermark) {
        inputs.watermark(port, watermark);
    }

    @Override
    public final boolean timer(long micros) throws Exception {
        return reported(inputs.timer(micros));
    }

    @Override
    public final boolean release() throws Exception {
        return reported(inputs.ask());
    }

    /** All clocks stop at the end of both inputs. */
    @Override
    public final boolean watermark(long watermark) throws Exception {
        return reported(watermark < Long.MAX_VALUE || inputs.end());
    }

    private boolean reported(boolean done) {
        state.report();
        return done;
    }

    @Override
    public final List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        inputs.restored();
    }
}
