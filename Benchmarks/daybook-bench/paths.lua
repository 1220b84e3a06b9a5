-- A script of wrk that requests the paths of a file in turn: wrk -s paths.lua URL -- FILE FIRST
local requests = {}
local index = 0

function init(args)
    for path in io.lines(args[1]) do
        requests[#requests + 1] = wrk.format("GET", path)
    end
    index = tonumber(args[2])
end

function request()
    index = index % #requests + 1
    return requests[index]
end
