"""Final networks and their files: weights as `crates/steady` reads them, and vectors that pin its forward passes.

A weights file is: "BWN1", kind (u32: 1 OSCNN, 2 FCN, 3 ROCKET), threshold (f32), number of arrays (u32), then for each
array its length (u32) and its values (f32), all little-endian. Batch normalisation is folded into the convolutions;
a convolution's weights are stored [output][input][tap], Omni-Scale layers one array per kernel size.
"""
import json
import os
import struct

import numpy as np
import torch

from common import LENGTH, WINDOW, Data

KIND = {"oscnn": 1, "fcn": 2, "rocket": 3}


def write(path, kind, threshold, arrays):
    with open(path, "wb") as out:
        out.write(b"BWN1" + struct.pack("<IfI", KIND[kind], threshold, len(arrays)))
        for a in arrays:
            a = np.ascontiguousarray(np.asarray(a, np.float32).reshape(-1))
            out.write(struct.pack("<I", len(a)) + a.astype("<f4").tobytes())


def folded(weight, bias, norm):
    scale = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
    w = weight.double() * scale[:, None, None]
    b = (bias.double() - norm.running_mean.double()) * scale + norm.bias.double()
    return w.detach().cpu().numpy(), b.detach().cpu().numpy()


def oscnn_arrays(model):
    out = []
    for layer in model.layers:
        w, b = folded(layer.weight * layer.mask, layer.bias, layer.norm)
        used = layer.mask[:, 0, :].cpu().numpy() > 0
        start, sizes = 0, used.sum(axis=1)
        while start < len(sizes):
            end = start + int((sizes[start:] == sizes[start]).sum())
            first = int(used[start].argmax())
            out.append(w[start:end, :, first:first + sizes[start]])
            start = end
        out.append(b)
    return out + [model.head.weight.detach().cpu().numpy(), model.head.bias.detach().cpu().numpy()]


def fcn_arrays(model):
    out = []
    for c, n in zip(model.convolutions, model.norms):
        out += folded(c.weight, c.bias, n)
    return out + [model.head.weight.detach().cpu().numpy(), model.head.bias.detach().cpu().numpy()]


def rocket_arrays(model):
    k = model.kernels
    return [[x[0] for x in k], [x[3] for x in k], [x[4] for x in k], [x[2] for x in k],
            np.concatenate([x[1] for x in k]), model.weight.cpu().numpy(), [model.intercept]]


def sample_windows(data, count=24):
    rng = np.random.default_rng(5)
    forks = rng.integers(0, data.n * 10, count)
    starts = np.where(np.arange(count) % 2 == 0, rng.integers(0, 300, count), rng.integers(0, LENGTH - WINDOW, count))
    return forks, starts


def rocket_exact(model, windows, fork, start):
    """The decision value in float64."""
    x = windows.get(fork, start).double().cpu()
    out = torch.full((len(x),), model.intercept, dtype=torch.float64)
    weight = model.weight.double().cpu()
    for i, (_, w, bias, dilation, padding) in enumerate(model.kernels):
        y = torch.nn.functional.conv1d(x[:, None, :], torch.as_tensor(w, dtype=torch.float64)[None, None, :],
                                       torch.tensor([float(bias)], dtype=torch.float64), dilation=dilation, padding=padding)[:, 0]
        out += weight[2 * i] * y.amax(1) + weight[2 * i + 1] * (y > 0).double().mean(1)
    return out


def run_final(args):
    import nets
    data = Data(args.packed)
    windows = nets.Windows(data)
    everything = np.arange(data.n)
    forks, starts = sample_windows(data)
    at = [torch.as_tensor(x, device=nets.DEVICE) for x in (forks, starts)]
    report = {"model": args.model}
    if args.model == "rocket":
        model = nets.Rocket(1)
        model.fit(windows, *nets.segments(data, everything))
        threshold, arrays = 0.0, rocket_arrays(model)
        expected = rocket_exact(model, windows, *at).numpy()
        quick = model.decision(windows, *at).cpu().numpy()
        report["float32_difference"] = float(np.abs(expected - quick).max())
    else:
        valid = data.validation(everything, 1)
        train = np.setdiff1d(everything, valid)
        make = nets.Oscnn if args.model == "oscnn" else nets.Fcn
        net, report["best_epoch"], report["losses"] = nets.fit(make, windows, nets.segments(data, train), nets.segments(data, valid),
                                                               1, args.patience or 10, 60, 1e18)
        fork, start, label = nets.all_windows(data, valid, 5)
        threshold = nets.youden(nets.scores(net, windows, fork, start), label)
        x = windows.get(*at).cpu()
        net = net.cpu().eval()
        with torch.no_grad():
            expected = net.score(x).double().numpy()
        net = net.float()
        arrays = oscnn_arrays(net) if args.model == "oscnn" else fcn_arrays(net)
    report["threshold"] = threshold
    write(os.path.join(args.out, f"{args.model}.bin"), args.model, threshold, arrays)
    with open(os.path.join(args.out, f"{args.model}-vectors.csv"), "w") as handle:
        for i in range(len(forks)):
            v = data.values.reshape(-1, LENGTH)[forks[i], starts[i]:starts[i] + WINDOW]
            handle.write(",".join([f"{expected[i]:.9g}"] + [f"{float(z):.9g}" for z in v]) + "\n")
    json.dump(report, open(os.path.join(args.out, f"{args.model}-final.json"), "w"), indent=1)
    print(json.dumps(report), flush=True)
