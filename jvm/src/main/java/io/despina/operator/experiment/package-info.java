/**
 * What experiments alone use: packets of which every byte can be checked, a sink that checks them, a relay that takes its time.
 * No graph that does real work needs them.
 */
package io.despina.operator.experiment;
